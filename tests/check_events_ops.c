/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream fs for calls on descriptors and mappings: whose file a call is
 * about, what it does to positions and mappings, and which calls leave no row.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture_events.h"
#include "fixture_proc.h"
#include "fixture_record.h"

/* ---- feeding ---- */

/* Between two descriptors; offsets of -1: their positions. */
static void feed_transfer(uint16_t op, int fd, int64_t offset, int fd2, int64_t offset2, int64_t ret)
{
	struct io_more rec = record_more(P, op, fd, ret);

	rec.fs.size = 1000;
	rec.fs.offset = offset;
	rec.fd2 = fd2;
	rec.length = offset2;
	feed_more(&rec);
}

static void feed_not_a_file(int fd)
{
	feed_call(P, IO_NEWFD, -1, fd, 0);
}

/* Where the next read or write starts. */
static void expect_position(int fd, uint16_t op, const char *offset)
{
	unsigned row = n_seen;

	feed_call(P, op, fd, 1, 1);
	feed_end();
	expect(row, "offset", offset);
}

static uint64_t out_of_scope(void)
{
	return events_totals(ev)->out_of_scope;
}

/* ---- descriptors ---- */

START_TEST(call_on_a_followed_descriptor_has_its_file)
{
	struct io_more rec;
	struct stat st;

	fixture_file_stat("a", &st);
	feed_open_file(P, "a", 3, O_RDWR);
	rec = record_more(P, IO_FALLOCATE, 3, 0);
	rec.fs.offset = 0;
	rec.fs.size = 4096;
	feed_more(&rec);
	rec = record_more(P, IO_TRUNCATE, 3, 0);
	rec.fs.size = 10;
	feed_more(&rec);
	rec = record_more(P, IO_SYNC, 3, 0);
	feed_more(&rec);
	feed_end();
	expect_operation(1, "FALLOCATE", fixture_file("a"));
	expect(1, "fd", "3");
	expect(1, "offset", "0");
	expect(1, "size", "4096");
	expect(1, "path_status", "f");
	expect_number(1, "inode", st.st_ino);
	expect_operation(2, "TRUNCATE", fixture_file("a"));
	expect(2, "size", "10");
	expect(2, "offset", "");
	expect(2, "flags", "");
	expect_operation(3, "SYNC", fixture_file("a"));
	expect(3, "fd", "3");
}
END_TEST

START_TEST(call_on_a_descriptor_that_is_none_is_a_row)
{
	struct io_more rec = record_more(P, IO_GETATTR, 99, -9);

	feed_more(&rec);
	feed_end();
	expect_operation(0, "GETATTR", "");
	expect(0, "fd", "99");
	expect(0, "path_status", "n");
	expect(0, "return_value", "-9");
}
END_TEST

START_TEST(call_on_what_is_no_file_is_out_of_scope)
{
	struct io_more rec = record_more(P, IO_GETATTR, 6, 0);

	feed_not_a_file(6);
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 1);
}
END_TEST

START_TEST(directory_that_is_read_has_the_flags_it_was_opened_with)
{
	struct io_more rec;

	feed_open(P, "/etc", 5, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rec = record_more(P, IO_READDIR, 5, 480);
	feed_more(&rec);
	rec = record_more(P, IO_READDIR, 99, -9);
	feed_more(&rec);
	feed_end();
	expect_operation(1, "READDIR", "/etc/");
	expect(1, "flags", "O_RDONLY|O_DIRECTORY");
	expect(1, "size", "0");
	expect(1, "offset", ""); /* a cookie of the file system: not to be counted */
	expect(1, "return_value", "480");
	expect_operation(2, "READDIR", "");
	expect(2, "flags", "");
}
END_TEST

START_TEST(directory_of_the_kernel_has_its_flags_and_position)
{
	struct io_more rec = record_more(P, IO_READDIR, 5, 480);

	feed_kernel_file(&rec, 0);
	rec.fs.flags = O_DIRECTORY;
	rec.fs.offset = 77;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "READDIR", "/a/bb/c/");
	expect(0, "flags", "O_RDONLY|O_DIRECTORY");
	expect(0, "offset", "77");
	expect(0, "inode", "12");
}
END_TEST

START_TEST(calls_without_a_file_have_no_name)
{
	static const uint16_t ops[] = { IO_SYNC, IO_VMSPLICE, IO_TEE };
	static const char *const names[] = { "SYNC", "VMSPLICE", "TEE" };
	struct io_more rec = record_more(P, ops[_i], _i ? 6 : -1, 0);

	feed_anew(&(struct feed_options){ .extra_ops = true });
	feed_not_a_file(6);
	rec.fs.size = _i ? 8192 : 0;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect_operation(0, names[_i], "");
	expect(0, "path_status", "n");
	expect(0, "fd", _i ? "6" : "");
	expect(0, "size", _i ? "8192" : "0");
	expect(0, "offset", "");
}
END_TEST

START_TEST(extra_operations_are_rows_only_if_asked_for)
{
	static const uint16_t ops[] = { IO_COPY_FILE_RANGE, IO_TEE, IO_SYNC_FILE_RANGE, IO_FADVISE,
					IO_READAHEAD };

	for (unsigned extra = 0; extra < 2; extra++) {
		feed_anew(&(struct feed_options){ .extra_ops = extra });
		for (unsigned i = 0; i < 5; i++) {
			struct io_more rec = record_more(P, ops[i], 99, -9);

			feed_more(&rec);
		}
		feed_call(P, IO_FSYNC, 99, -9, 0); /* others come as before */
		feed_end();
		ck_assert_uint_eq(n_seen, extra ? 7 : 1);
		ck_assert_uint_eq(events_totals(ev)->rows[STREAM_fs], extra ? 6 : 1);
		ck_assert_uint_eq(out_of_scope(), 0);
	}
}
END_TEST

/* ---- transfers ---- */

static void open_both(void)
{
	feed_open_file(P, "a", 3, O_RDWR);
	feed_open_file(P, "b", 4, O_RDWR);
}

START_TEST(sendfile_moves_both_positions)
{
	open_both();
	feed_transfer(IO_SENDFILE, 3, -1, 4, -1, 100);
	feed_end();
	expect_operation(2, "SENDFILE", fixture_file("a"));
	expect(2, "fd", "3");
	expect(2, "size", "1000");
	expect(2, "offset", "0");
	expect(2, "return_value", "100");
	expect(2, "flags", "");
	expect_position(3, IO_READ, "100");
	expect_position(4, IO_WRITE, "100");
}
END_TEST

START_TEST(sendfile_from_an_offset_moves_the_target_only)
{
	open_both();
	feed_transfer(IO_SENDFILE, 3, 50, 4, -1, 100);
	feed_end();
	expect(2, "offset", "50");
	expect_position(3, IO_READ, "0");
	expect_position(4, IO_WRITE, "100");
}
END_TEST

START_TEST(failed_transfer_moves_nothing)
{
	open_both();
	feed_transfer(IO_SENDFILE, 3, -1, 4, -1, -5);
	feed_transfer(IO_COPY_FILE_RANGE, 3, -1, 4, -1, -18);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect(2, "offset", "0");
	expect(2, "return_value", "-5");
	expect_position(3, IO_READ, "0");
	expect_position(4, IO_WRITE, "0");
}
END_TEST

START_TEST(splice_to_a_pipe_is_of_the_file)
{
	open_both();
	feed_not_a_file(6);
	feed_transfer(IO_SPLICE, 3, -1, 6, -1, 100);
	feed_transfer(IO_SPLICE, 3, 0, 6, -1, 100);
	feed_end();
	expect_operation(2, "SPLICE", fixture_file("a"));
	expect(2, "offset", "0");
	expect(2, "fd", "3");
	expect(2, "flags", "NO_FLAGS");
	expect(3, "offset", "0");
	expect_position(3, IO_READ, "100");
}
END_TEST

START_TEST(splice_from_a_pipe_is_of_the_other_file)
{
	open_both();
	feed_not_a_file(6);
	feed_transfer(IO_SPLICE, 6, -1, 4, -1, 100);
	feed_transfer(IO_SPLICE, 6, -1, 4, 70, 100);
	feed_transfer(IO_SPLICE, 6, -1, 4, -1, 100);
	feed_end();
	for (unsigned i = 2; i < 5; i++) {
		expect_operation(i, "SPLICE", fixture_file("b"));
		expect(i, "fd", "4");
	}
	expect(2, "offset", "0");
	expect(3, "offset", "70");
	expect(4, "offset", "100");
	expect_position(4, IO_WRITE, "200");
	expect_position(3, IO_READ, "0");
}
END_TEST

START_TEST(splice_between_pipes_is_out_of_scope)
{
	feed_not_a_file(6);
	feed_not_a_file(7);
	feed_transfer(IO_SPLICE, 6, -1, 7, -1, 100);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 1);
}
END_TEST

/* _i: are its rows asked for? Positions move all the same. */
START_TEST(copy_moves_both_positions)
{
	feed_anew(&(struct feed_options){ .extra_ops = _i });
	open_both();
	feed_transfer(IO_COPY_FILE_RANGE, 3, -1, 4, -1, 100);
	feed_transfer(IO_COPY_FILE_RANGE, 3, 5, 4, 500, 100);
	feed_end();
	ck_assert_uint_eq(n_seen, _i ? 4 : 2);
	if (_i) {
		char both[8400];

		snprintf(both, sizeof(both), "%s -> %s", fixture_file("a"), fixture_file("b"));
		expect_operation(2, "COPY_FILE_RANGE", both);
		expect(2, "offset", "0");
		expect(2, "fd", "3");
		expect(2, "size", "1000");
		expect(2, "path_status", "f");
		expect(3, "offset", "5");
	}
	expect_position(3, IO_READ, "100");
	expect_position(4, IO_WRITE, "100");
}
END_TEST

START_TEST(copy_of_the_kernels_files_has_both_names)
{
	struct io_more rec = record_more(P, IO_COPY_FILE_RANGE, 3, 100);

	feed_anew(&(struct feed_options){ .extra_ops = true, .kernel = true });
	feed_kernel_file(&rec, 0);
	feed_text(8, IO_TEXT_WALK, "out", 4);
	rec.name2 = 8;
	rec.status2 = IO_ST_FILE;
	rec.fs.offset = 9;
	feed_more(&rec);
	rec.name2 = 0;
	rec.status2 = 0;
	rec.fs.head.seq++;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "COPY_FILE_RANGE", "/a/bb/c -> /out");
	expect(0, "offset", "9");
	expect(0, "inode", "12");
	expect(0, "path_status", "f");
	expect_operation(1, "COPY_FILE_RANGE", "/a/bb/c -> ");
	expect(1, "path_status", "r");
}
END_TEST

static TCase *descriptors_case(void)
{
	TCase *tcase = tcase_create("descriptors");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_add_test(tcase, call_on_a_followed_descriptor_has_its_file);
	tcase_add_test(tcase, call_on_a_descriptor_that_is_none_is_a_row);
	tcase_add_test(tcase, call_on_what_is_no_file_is_out_of_scope);
	tcase_add_test(tcase, directory_that_is_read_has_the_flags_it_was_opened_with);
	tcase_add_test(tcase, directory_of_the_kernel_has_its_flags_and_position);
	tcase_add_loop_test(tcase, calls_without_a_file_have_no_name, 0, 3);
	tcase_add_test(tcase, extra_operations_are_rows_only_if_asked_for);
	tcase_add_test(tcase, sendfile_moves_both_positions);
	tcase_add_test(tcase, sendfile_from_an_offset_moves_the_target_only);
	tcase_add_test(tcase, failed_transfer_moves_nothing);
	tcase_add_test(tcase, splice_to_a_pipe_is_of_the_file);
	tcase_add_test(tcase, splice_from_a_pipe_is_of_the_other_file);
	tcase_add_test(tcase, splice_between_pipes_is_out_of_scope);
	tcase_add_loop_test(tcase, copy_moves_both_positions, 0, 2);
	tcase_add_test(tcase, copy_of_the_kernels_files_has_both_names);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of descriptors and mappings");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, descriptors_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
