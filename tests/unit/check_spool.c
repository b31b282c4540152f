/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that wait, on disk: each once, until a segment has them; gone at the end; never at the cost of a
 * segment.
 */
#include "write/spool.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_verify.h"
#include "fixture/session.h"
#include "write/writer.h"
#include "write/write_room.h"
#include "write/write_session.h"

#define FILE_0 "fs/.fs.waiting.0"
#define FILE_1 "fs/.fs.waiting.1"

static struct writer *w;

/* Rows first to first + n - 1 are new among those that wait, and so is the turn over. */
static void wait_rows(unsigned first, unsigned n, uint64_t first_key)
{
	char row[512];

	for (unsigned i = first; i < first + n; i++)
		write_waiting(w, STREAM_fs, row,
			      make_row(row, STREAM_fs, T0 + i * 1000000ull, MONO0 + i * 1000000ull,
				       i),
			      i);
	write_waiting_end(w, STREAM_fs, first_key);
}

static size_t bytes_of(const char *file)
{
	char path[400];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return stat(path, &st) ? 0 : (size_t)st.st_size;
}

static uint64_t rows_in(const char *file)
{
	return bytes_of(file) ? session_csv_rows(dir, file, streams[STREAM_fs].n_columns) : 0;
}

static void until_due(void)
{
	write_tick(w);
	for (int i = 0; i < 40 && !write_waiting_is_due(w); i++) {
		usleep(10000);
		write_tick(w);
	}
}

START_TEST(rows_that_wait_are_on_disk_each_once)
{
	w = begin_session(PACKING_NONE);
	ck_assert(!session_exists(dir, FILE_0));
	wait_rows(0, 10, 0);
	ck_assert_uint_eq(rows_in(FILE_0), 10);
	wait_rows(10, 5, 0);
	ck_assert_uint_eq(rows_in(FILE_0) + rows_in(FILE_1), 15);
	wait_rows(15, 0, 0);
	ck_assert_uint_eq(rows_in(FILE_0) + rows_in(FILE_1), 15);
	/* which are no rows of the trace yet */
	ck_assert_uint_eq(write_totals(w)->rows[STREAM_fs], 0);
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

START_TEST(a_file_is_emptied_when_segments_have_its_rows)
{
	w = begin_session(PACKING_NONE);
	wait_rows(0, 3, 0);
	wait_rows(3, 3, 0); /* into the other */
	put_rows(w, STREAM_fs, 0, 3);
	wait_rows(6, 0, 2); /* one of its rows still waits */
	ck_assert_uint_eq(rows_in(FILE_0), 3);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv.part", true), 0); /* in the buffer */
	wait_rows(6, 0, 3);
	ck_assert_uint_eq(bytes_of(FILE_0), 0);
	ck_assert_uint_eq(rows_in(file_of("fs", 1, ".csv.part")), 3);
	ck_assert_uint_eq(rows_in(FILE_1), 3);
	wait_rows(6, 2, 3);
	put_rows(w, STREAM_fs, 3, 5);
	wait_rows(8, 1, UINT64_MAX);
	ck_assert_uint_eq(bytes_of(FILE_0) + bytes_of(FILE_1), 0);
	/* and goes on after that */
	wait_rows(9, 2, 9);
	ck_assert_uint_eq(rows_in(FILE_0) + rows_in(FILE_1), 2);
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

START_TEST(nothing_is_left_at_the_end)
{
	w = begin_session(PACKING_NONE);
	wait_rows(0, 3, 0);
	wait_rows(3, 3, 0);
	put_rows(w, STREAM_fs, 0, 6);
	ck_assert_int_eq(write_finish(w), 0);
	ck_assert(!session_exists(dir, FILE_0) && !session_exists(dir, FILE_1));
	expect_verify(false, 0, "whole");
}
END_TEST

START_TEST(it_is_due_ten_times_a_second_at_most)
{
	unsigned n = 0;
	uint64_t began;

	w = begin_session(PACKING_NONE);
	began = w->tick_ns;
	for (int i = 0; i < 50; i++) {
		write_tick(w);
		n += write_waiting_is_due(w);
		usleep(5000);
	}
	ck_assert_uint_ge(n, 2);
	ck_assert_uint_le(n, 1 + (w->tick_ns - began) / 90000000);
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

START_TEST(a_file_that_was_removed_is_made_again)
{
	w = begin_session(PACKING_NONE);
	wait_rows(0, 3, 0);
	remove_in(FILE_0);
	put_rows(w, STREAM_fs, 0, 3);
	wait_rows(3, 3, 3); /* the removed one is empty from here on */
	wait_rows(6, 1, 3);
	wait_rows(7, 1, 3);
	ck_assert_uint_eq(rows_in(FILE_0), 1);
	ck_assert_uint_eq(rows_in(FILE_1), 4);
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

/* A file that may not grow: rows of segments are written as if there were no copies. */
START_TEST(what_cannot_be_written_costs_no_row_of_a_segment)
{
	struct rlimit old, limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ .rlim_cur = 64 * 1024, .rlim_max = old.rlim_max };
	w = begin_session(PACKING_NONE);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	wait_rows(0, 3000, 0);
	setrlimit(RLIMIT_FSIZE, &old);
	ck_assert_uint_eq(bytes_of(FILE_0), 0);
	wait_rows(3000, 3, 0); /* left alone for a while */
	ck_assert_uint_eq(bytes_of(FILE_0) + bytes_of(FILE_1), 0);
	until_due();
	ck_assert(!write_waiting_is_due(w));
	put_rows(w, STREAM_fs, 0, 3003);
	ck_assert_int_eq(write_finish(w), 0);
	expect_verify(false, 0, " 3003 rows");
}
END_TEST

START_TEST(files_are_bounded_by_max_disk)
{
	struct write_options options = { .dir = dir, .max_disk = 4 << 20 };
	uint64_t max = options.max_disk / 8;
	struct finish_progress progress;
	int err;

	w = write_open(&options, &err);
	ck_assert_int_eq(err, 0);
	for (unsigned i = 0; bytes_of(FILE_0) + bytes_of(FILE_1) < max * 9 / 10; i += 100)
		wait_rows(i, 100, 0);
	ck_assert_uint_le(bytes_of(FILE_0) + bytes_of(FILE_1), max);
	/* and are part of what the directory takes */
	writer_progress(w, &progress);
	ck_assert_uint_eq(progress.open_bytes, bytes_of(FILE_0) + bytes_of(FILE_1));
	/* all or none: those that are known have no gap */
	wait_rows(100000, 1000, 0);
	wait_rows(101000, 1, 0);
	ck_assert_uint_eq(bytes_of(FILE_0) + bytes_of(FILE_1), 0);
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

/* Those that wait go first, and the rows that did not fit are written after all. */
START_TEST(a_full_disk_takes_the_copies_first)
{
	w = begin_session(PACKING_NONE);
	wait_rows(0, 100, 0);
	w->options.min_free = UINT64_MAX / 2; /* as if there were none */
	write_tick(w);
	ck_assert_uint_eq(bytes_of(FILE_0), 0);
	w->options.min_free = 0;
	ck_assert_int_eq(write_finish(w), -ENOSPC);
}
END_TEST

START_TEST(near_min_free_nothing_is_written)
{
	w = begin_session(PACKING_NONE);
	until_due();
	wait_rows(0, 100, 0);
	w->options.min_free = writer_free_bytes(w->dir_fd) - (32 << 20);
	for (int i = 0; i < 30 && bytes_of(FILE_0); i++) {
		usleep(10000);
		w->tick_ns += 10000000;
		ck_assert(!write_waiting_is_due(w));
	}
	ck_assert_uint_eq(bytes_of(FILE_0), 0);
	w->options.min_free = 0;
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

START_TEST(a_link_is_not_followed)
{
	char elsewhere[400], path[400];

	w = begin_session(PACKING_NONE);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", scratch);
	ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
	snprintf(path, sizeof(path), "%s/fs", dir);
	ck_assert_int_eq(symlink(elsewhere, path), 0);
	wait_rows(0, 3, 0);
	ck_assert_uint_eq(session_count(elsewhere, ".", "", true), 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

static TCase *spool_case(void)
{
	TCase *tcase = tcase_create("spool");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, fixture_verify_teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, rows_that_wait_are_on_disk_each_once);
	tcase_add_test(tcase, a_file_is_emptied_when_segments_have_its_rows);
	tcase_add_test(tcase, nothing_is_left_at_the_end);
	tcase_add_test(tcase, it_is_due_ten_times_a_second_at_most);
	tcase_add_test(tcase, a_file_that_was_removed_is_made_again);
	tcase_add_test(tcase, what_cannot_be_written_costs_no_row_of_a_segment);
	tcase_add_test(tcase, files_are_bounded_by_max_disk);
	tcase_add_test(tcase, a_full_disk_takes_the_copies_first);
	tcase_add_test(tcase, near_min_free_nothing_is_written);
	tcase_add_test(tcase, a_link_is_not_followed);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("spool");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, spool_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
