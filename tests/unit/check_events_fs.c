/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream fs: open, close, read, write and fsync, by system calls with
 * descriptors followed, and by the kernel's files.
 */
#include "events/events.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"

static struct iot_text text;

/* ---- fs from system calls ---- */

START_TEST(open_write_close_are_three_rows)
{
	struct stat st;

	fixture_file_stat("a", &st);
	feed_open_file(P, "a", 3, O_WRONLY | O_CREAT | O_TRUNC);
	feed_call(P, IOT_WRITE, 3, 4096, 4096);
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect_operation(0, "OPEN", fixture_file("a"));
	expect(0, "flags", "O_WRONLY|O_CREAT|O_TRUNC");
	expect(0, "return_value", "3");
	expect(0, "path_status", "f");
	expect(0, "command", "prog");
	expect(0, "latency_ns", "700");
	expect_number(0, "inode", st.st_ino);
	expect_operation(1, "WRITE", fixture_file("a"));
	expect(1, "size", "4096");
	expect(1, "offset", "0");
	expect(1, "flags", "O_WRONLY");
	expect(1, "fd", "3");
	expect_operation(2, "CLOSE", fixture_file("a"));
	expect(2, "offset", "");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_fs], 3);
	ck_assert_uint_eq(events_totals(ev)->bad, 0);
}
END_TEST

static void feed_as(uint16_t call, uint16_t op, int fd, int64_t ret)
{
	struct iot_fs rec = record_fs(P, op, fd, ret);

	rec.call = call;
	feed_fs(&rec);
}

START_TEST(row_has_the_call_that_asked)
{
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_as(IOT_CALL_preadv, IOT_READ, 3, 10);
	feed_as(IOT_NO_CALL, IOT_READ, 3, 10);
	/* as a probe of vfs_read has it */
	feed_as(IOT_CALL_NUMBER | 4000, IOT_READ, 3, 10);
	feed_as(IOT_CALL_close, IOT_CLOSE, 3, 0);
	feed_end();
	expect(1, "call", "preadv");
	expect(2, "call", "");
	expect(3, "call", "syscall_4000");
	expect(4, "call", "close");
}
END_TEST

START_TEST(close_by_dup2_has_that_call_and_the_next_record_has_not)
{
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_open_file(P, "b", 4, O_RDONLY);
	feed_as(IOT_CALL_dup2, IOT_DUP, 3, 4);
	feed_task(IOT_EXIT, P, 256, IOT_TASK_STATUS);
	feed_end();
	ck_assert_uint_eq(n_seen, 5); /* the last is of exec */
	expect_operation(2, "CLOSE", fixture_file("b"));
	expect(2, "call", "dup2");
	expect_operation(3, "CLOSE", fixture_file("a"));
	expect(3, "call", "");
}
END_TEST

/* The reader is late: what /proc shows for a descriptor that was just closed was opened later. */
START_TEST(file_that_proc_shows_late_was_not_closed_before)
{
	const uint64_t late =
		3601000000000ULL; /* records are an hour ahead; a machine may be up for less */
	struct iot_fs rec;

	feed_open_file(P, "a", 4, O_RDONLY);
	fixture_process(CHILD, P, "prog");
	feed_task(IOT_FORK, P, CHILD, 0); /* all that it does is followed */
	fixture_fd(CHILD, 3, fixture_file("b"), 0, O_RDWR);
	rec = record_fs(CHILD, IOT_FSYNC, 3, -9);
	rec.head.ts -= late;
	feed_fs(&rec);
	rec = record_fs(CHILD, IOT_DUP, 4, 3);
	rec.head.ts -= late;
	feed_fs(&rec);
	feed_end();
	for (unsigned i = 0; i < n_seen; i++)
		if (seen[i].stream == STREAM_fs)
			ck_assert_str_ne(seen_field(i, "operation"), "CLOSE");
}
END_TEST

START_TEST(descriptors_of_one_description_share_its_number)
{
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_open_file(P, "a", 4, O_RDONLY);
	feed_call(P, IOT_DUP, 3, 5, 0);
	feed_call(P, IOT_READ, 5, 1, 1);
	feed_call(P, IOT_READ, 4, 1, 1);
	feed_call(P, IOT_CLOSE, 3, 0, 0); /* not the last: no row */
	feed_call(P, IOT_CLOSE, 5, 0, 0);
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_call(P, IOT_READ, 99, -9, 1);
	feed_end();
	ck_assert_uint_eq(n_seen, 7);
	expect(0, "ofd", "1");
	expect(1, "ofd", "2");
	expect(2, "ofd", "1");
	expect(3, "ofd", "2");
	expect(4, "ofd", "1");
	expect(5, "ofd", "3");
	expect(6, "ofd", "");
}
END_TEST

START_TEST(number_of_the_kernel_stays_with_what_was_opened)
{
	struct iot_fs rec = record_fs(P, IOT_OPEN, -1, 3);

	kernel_file(&rec, 70, "file");
	rec.ofd = 0xfedcba98;
	feed_fs(&rec);
	feed_task(IOT_EXIT, P, 256, IOT_TASK_STATUS);
	feed_end();
	ck_assert_uint_eq(n_seen, 3); /* the last is of exec */
	expect(0, "ofd", "4275878552");
	expect(1, "operation", "CLOSE");
	expect(1, "ofd", "4275878552");
}
END_TEST

START_TEST(time_of_a_row_is_its_start)
{
	struct iot_fs rec = record_fs(P, IOT_FSYNC, 9, -9);

	rec.latency = 1234;
	feed_fs(&rec);
	feed_end();
	expect_number(0, "mono_ns", rec.head.ts - 1234);
	ck_assert(seen[0].key == rec.head.ts - 1234);
}
END_TEST

START_TEST(rows_of_calls_that_overlap_leave_in_the_order_of_their_start)
{
	struct iot_fs inner = record_fs(P, IOT_READ, 9, -9), outer = record_fs(P, IOT_FSYNC, 9, -9);

	inner.latency = 10;
	outer.latency = outer.head.ts - inner.head.ts + 1000;
	feed_fs(&inner);
	feed_fs(&outer);
	feed_end();
	expect(0, "operation", "FSYNC");
	expect(1, "operation", "READ");
}
END_TEST

/* Left out by a filter in the kernel, as of a user who is not asked for */
START_TEST(quiet_record_moves_the_position_and_is_no_row)
{
	struct iot_fs rec;

	feed_open_file(P, "quiet", 9, O_RDONLY);
	rec = record_fs(P, IOT_LSEEK, 9, 100); /* numbered as what is only followed */
	rec.op = IOT_READ;
	rec.size = 100;
	rec.head.via |= IOT_VIA_QUIET;
	feed_fs(&rec);
	feed_call(P, IOT_READ, 9, 5, 5);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect(0, "operation", "OPEN");
	expect(1, "operation", "READ");
	expect(1, "offset", "100");
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

START_TEST(failed_open_is_a_row_with_the_path_it_was_given)
{
	feed_open(P, "no/such, file", -2, O_RDONLY);
	feed_end();
	expect_operation(0, "OPEN", "/usr/no/such, file");
	expect(0, "return_value", "-2");
	expect(0, "fd", "");
	expect(0, "inode", "");
	expect(0, "path_status", "fm");
}
END_TEST

START_TEST(call_on_a_bad_descriptor_is_a_row)
{
	feed_call(P, IOT_READ, 99, -9, 512);
	feed_call(P, IOT_CLOSE, 99, -9, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect_operation(0, "READ", "");
	expect(0, "path_status", "n");
	expect(0, "offset", "");
	expect(0, "flags", "");
	expect(0, "return_value", "-9");
	expect_operation(1, "CLOSE", "");
}
END_TEST

START_TEST(sockets_and_pseudo_files_are_out_of_scope)
{
	struct iot_fs rec = record_fs(P, IOT_NEWFD, -1, 5);

	feed_fs(&rec);
	feed_call(P, IOT_READ, 5, 10, 10);
	feed_open(P, "/proc/version", -13, O_RDONLY);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(events_totals(ev)->out_of_scope, 2);
	feed_anew(&(struct feed_options){ .all_fs = true });
	feed_open(P, "/proc/version", -13, O_RDONLY);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
}
END_TEST

START_TEST(offset_of_pread_is_its_own)
{
	struct iot_fs rec;

	feed_open_file(P, "a", 3, O_RDONLY);
	rec = record_fs(P, IOT_READ, 3, 100);
	rec.size = 100;
	rec.offset = 0;
	rec.status = IOT_ST_OFFSET;
	feed_fs(&rec);
	rec.head.ts = record_later();
	rec.offset = 1LL << 40;
	feed_fs(&rec);
	feed_call(P, IOT_READ, 3, 100, 100);
	feed_end();
	expect(1, "offset", "0");
	expect(2, "offset", "1099511627776");
	expect(3, "offset", "0");
}
END_TEST

START_TEST(close_of_a_duplicate_is_no_row)
{
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_call(P, IOT_DUP, 3, 4, 0);
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	feed_call(P, IOT_CLOSE, 4, 0, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect(1, "operation", "CLOSE");
	expect(1, "fd", "4");
	ck_assert_uint_eq(events_totals(ev)->not_last, 1);
}
END_TEST

START_TEST(exit_closes_what_is_open_without_a_latency)
{
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_task(IOT_EXIT, P, 256, IOT_TASK_STATUS);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect_operation(1, "CLOSE", fixture_file("a"));
	expect(1, "latency_ns", "");
	expect(1, "return_value", "0");
	expect(1, "fd", "3");
	expect_number(1, "pid", P);
	ck_assert_int_eq(seen[2].stream, STREAM_exec);
	expect(2, "event_type", "EXIT");
	expect(2, "return_value", "256");
}
END_TEST

START_TEST(process_that_is_gone_still_has_rows)
{
	feed_open(GONE, "rel/path", 3, O_RDONLY);
	feed_call(GONE, IOT_READ, 3, 10, 10);
	feed_call(GONE, IOT_CLOSE, 3, 0, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect(0, "filename", "rel/path");
	expect(0, "path_status", "r");
	expect(2, "operation", "CLOSE");
}
END_TEST

START_TEST(names_with_anything_in_them_stay_one_field)
{
	feed_open(P, "/a,\"b\"\n\xff", -2, O_RDONLY);
	feed_end();
	expect(0, "filename", "/a,\"b\"\\n\\xff");
	expect(0, "path_status", "fe");
}
END_TEST

START_TEST(vectored_call_asked_for_at_least_what_it_moved)
{
	feed_call(P, IOT_WRITE, 99, 5000, 4096);
	feed_end();
	expect(0, "size", "5000");
}
END_TEST

/* ---- fs from the kernel's files ---- */

static struct iot_fs kernel_rec(uint16_t op, int64_t ret)
{
	struct iot_fs rec = record_fs(P, op, -1, ret);

	rec.status = IOT_ST_FILE | IOT_ST_OFFSET;
	rec.name = 7;
	rec.ino = 12;
	rec.dev = 8 << 20 | 2;
	rec.flags = O_RDWR;
	rec.offset = 0;
	rec.size = 4096;
	rec.latency = 5;
	rec.mntns = 4026531840u;
	return rec;
}

START_TEST(rows_of_the_kernels_file_carry_its_walked_name)
{
	struct iot_fs rec;

	feed_text(7, IOT_TEXT_WALK, "c\0bb\0a", 7);
	rec = kernel_rec(IOT_READ, 4096);
	feed_fs(&rec);
	feed_end();
	expect_operation(0, "READ", "/a/bb/c");
	expect(0, "inode", "12");
	expect(0, "device", "8:2");
	expect(0, "offset", "0");
	expect(0, "fd", "");
	expect(0, "mntns", "4026531840");
	expect(0, "path_status", "o");
}
END_TEST

/* The files of its mappings are closed when it has left its namespaces. */
START_TEST(a_process_that_ends_is_in_the_namespace_that_it_had)
{
	struct iot_fs rec;

	feed_text(7, IOT_TEXT_WALK, "c\0bb\0a", 7);
	rec = kernel_rec(IOT_READ, 4096);
	feed_fs(&rec);
	rec = kernel_rec(IOT_CLOSE, 0);
	rec.mntns = 0;
	feed_fs(&rec);
	rec.head.tgid = P + 1;
	feed_fs(&rec);
	feed_end();
	expect(1, "mntns", "4026531840");
	expect(2, "mntns", "");
}
END_TEST

START_TEST(unlinked_and_cut_names_are_marked)
{
	struct iot_fs rec;

	feed_text(7, IOT_TEXT_WALK, "c\0b", 4);
	rec = kernel_rec(IOT_READ, 1);
	rec.status |= IOT_ST_DELETED;
	feed_fs(&rec);
	record_text(&text, 7, IOT_TEXT_WALK, "c\0b", 4);
	text.flags = IOT_TEXT_CUT;
	feed(&text, IOT_TEXT_HEAD + 4);
	rec = kernel_rec(IOT_READ, 1);
	feed_fs(&rec);
	feed_end();
	expect(0, "path_status", "do");
	expect(1, "path_status", "rt");
}
END_TEST

START_TEST(unknown_name_is_empty_and_asked_for_again_once)
{
	struct iot_fs rec = kernel_rec(IOT_READ, 1);

	ck_assert(!events_names_missing(ev));
	feed_fs(&rec);
	feed_end();
	expect_operation(0, "READ", "");
	expect(0, "path_status", "n");
	expect(0, "inode", "12");
	ck_assert(events_names_missing(ev));
	ck_assert(!events_names_missing(ev));
	ck_assert_uint_eq(events_names(ev)->unknown, 1);
}
END_TEST

START_TEST(close_by_the_kernel_has_no_offset)
{
	struct iot_fs rec = kernel_rec(IOT_CLOSE, 0);

	feed_fs(&rec);
	feed_end();
	expect(0, "operation", "CLOSE");
	expect(0, "offset", "");
}
END_TEST

START_TEST(offset_that_the_kernel_does_not_say_is_empty)
{
	struct iot_fs rec = kernel_rec(IOT_READ, 1);

	rec.status = IOT_ST_FILE;
	feed_fs(&rec);
	feed_end();
	expect(0, "offset", "");
}
END_TEST

START_TEST(lost_names_are_asked_for_again)
{
	struct iot_text rec;

	record_text(&rec, 7, IOT_TEXT_STRING, "x", 1);
	rec.head.seq += 3;
	feed(&rec, IOT_TEXT_HEAD + 1);
	ck_assert(events_names_missing(ev));
	feed_end();
	ck_assert_int_eq(seen[0].stream, STREAM_lost);
	expect(0, "stream", "state");
	expect(0, "reason", "ring");
}
END_TEST

static TCase *calls_case(void)
{
	TCase *tcase = tcase_create("system calls");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_add_test(tcase, open_write_close_are_three_rows);
	tcase_add_test(tcase, row_has_the_call_that_asked);
	tcase_add_test(tcase, close_by_dup2_has_that_call_and_the_next_record_has_not);
	tcase_add_test(tcase, file_that_proc_shows_late_was_not_closed_before);
	tcase_add_test(tcase, descriptors_of_one_description_share_its_number);
	tcase_add_test(tcase, number_of_the_kernel_stays_with_what_was_opened);
	tcase_add_test(tcase, time_of_a_row_is_its_start);
	tcase_add_test(tcase, quiet_record_moves_the_position_and_is_no_row);
	tcase_add_test(tcase, rows_of_calls_that_overlap_leave_in_the_order_of_their_start);
	tcase_add_test(tcase, failed_open_is_a_row_with_the_path_it_was_given);
	tcase_add_test(tcase, call_on_a_bad_descriptor_is_a_row);
	tcase_add_test(tcase, sockets_and_pseudo_files_are_out_of_scope);
	tcase_add_test(tcase, offset_of_pread_is_its_own);
	tcase_add_test(tcase, close_of_a_duplicate_is_no_row);
	tcase_add_test(tcase, exit_closes_what_is_open_without_a_latency);
	tcase_add_test(tcase, process_that_is_gone_still_has_rows);
	tcase_add_test(tcase, names_with_anything_in_them_stay_one_field);
	tcase_add_test(tcase, vectored_call_asked_for_at_least_what_it_moved);
	return tcase;
}

static TCase *kernel_case(void)
{
	TCase *tcase = tcase_create("files of the kernel");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, rows_of_the_kernels_file_carry_its_walked_name);
	tcase_add_test(tcase, a_process_that_ends_is_in_the_namespace_that_it_had);
	tcase_add_test(tcase, unlinked_and_cut_names_are_marked);
	tcase_add_test(tcase, unknown_name_is_empty_and_asked_for_again_once);
	tcase_add_test(tcase, close_by_the_kernel_has_no_offset);
	tcase_add_test(tcase, offset_that_the_kernel_does_not_say_is_empty);
	tcase_add_test(tcase, lost_names_are_asked_for_again);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of fs");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, calls_case());
	suite_add_tcase(suite, kernel_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
