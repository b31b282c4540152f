/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that waited for their order when the recorder was killed: what verify says of them, and what a
 * repair makes of them: every row once, however often it is repeated.
 */
#include "read/verify.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_verify.h"
#include "fixture/session.h"
#include "write/spool.h"
#include "write/write_session.h"

/* make_killed_session: fs has rows 0 to 21 in three segments, of which the last is open. */
enum { N_WRITTEN = 22, TEXT_SIZE = 64 * 1024 };

static char text[TEXT_SIZE];

static char *header(enum stream_id stream)
{
	schema_header(stream, 0, text, sizeof(text));
	return text;
}

/* Rows first to first + n - 1 as they would be in a segment. */
static void add_rows(enum stream_id stream, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++)
		make_row(text + strlen(text), stream, T0 + i * 1000000ull, MONO0 + i * 1000000ull,
			 i);
}

static void make_waiting(enum stream_id stream, unsigned which, unsigned first, unsigned n)
{
	char path[SPOOL_PATH_SIZE];

	header(stream);
	add_rows(stream, first, n);
	spool_path(stream, which, path);
	session_write(dir, path, text);
}

static void make_folder(const char *stream)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, stream);
	mkdir(path, 0700);
}

/* dir becomes another copy of what it was at first: to kill a session takes a second. */
static void copy_again(const char *from)
{
	char command[900];

	snprintf(dir, sizeof(dir), "%s/copy", scratch);
	snprintf(command, sizeof(command), "rm -rf %s && cp -a %s %s", dir, from, dir);
	ck_assert_int_eq(system(command), 0);
}

/* Each row of fs from 0 to n - 1 once and in order, in segments that the manifest lists. */
static void expect_rows(unsigned n)
{
	json_t *m = manifest(), *fs = session_stream(m, "fs"), *entry;
	unsigned row = 0;
	size_t i;

	ck_assert_int_eq(session_int(fs, "rows"), n);
	json_array_foreach(json_object_get(fs, "segments"), i, entry)
	{
		char *csv = session_read(dir, json_string_value(json_object_get(entry, "file")),
					 NULL);
		char *at = strchr(csv, '\n'), *lf;

		for (; (lf = strchr(at + 1, '\n')); at = lf, row++) {
			*lf = '\0';
			ck_assert_msg(strtoull(strrchr(at + 1, ',') + 1, NULL, 10) ==
					      MONO0 + row * 1000000ull,
				      "row %u: %s", row, at + 1);
		}
		free(csv);
	}
	ck_assert_uint_eq(row, n);
	ck_assert_int_eq(session_int(m, "rows_until_ns"), (int64_t)(T0 + (n - 1) * 1000000ull));
	json_decref(m);
	ck_assert_uint_eq(session_count(dir, "fs", "waiting.0", true) +
				  session_count(dir, "fs", "waiting.1", true) +
				  session_count(dir, "fs", "waiting.2", true),
			  0);
}

START_TEST(rows_that_waited_are_the_last_segment)
{
	json_t *m, *entry, *before;

	make_killed_session();
	make_waiting(STREAM_fs, 0, 25, 6);
	make_waiting(STREAM_fs, 1, 15, 10); /* the older one */
	expect_verify(false, VERIFY_UNFINISHED,
		      "fs: 9 rows that waited for their order are in no segment yet");
	ck_assert_ptr_eq(strstr(said, "not written by iotracer"), NULL);
	expect_verify(true, VERIFY_WHOLE, "made of 9 rows that waited");
	expect_rows(31);
	m = manifest();
	ck_assert_int_eq(session_int(json_object_get(m, "repaired"), "waiting_rows"), 9);
	entry = json_array_get(json_object_get(session_stream(m, "fs"), "segments"), 3);
	ck_assert_ptr_nonnull(
		strstr(json_string_value(json_object_get(entry, "file")), "_0004.csv"));
	/* for who reads them by name as well */
	before = json_array_get(json_object_get(session_stream(m, "fs"), "segments"), 2);
	ck_assert_int_lt(strcmp(json_string_value(json_object_get(before, "file")),
				json_string_value(json_object_get(entry, "file"))),
			 0);
	ck_assert_int_eq(session_int(entry, "first_ns"), (int64_t)(T0 + 22 * 1000000ull));
	json_decref(m);
	expect_verify(true, VERIFY_WHOLE, "nothing to repair");
	expect_rows(31);
}
END_TEST

/* Killed in its first second. */
START_TEST(a_stream_without_a_segment_gets_one)
{
	json_t *m, *ds;

	make_killed_session();
	make_folder("ds");
	make_waiting(STREAM_ds, 0, 0, 5);
	expect_verify(true, VERIFY_WHOLE, "made of 5 rows");
	m = manifest();
	ds = session_stream(m, "ds");
	ck_assert_int_eq(session_int(ds, "rows"), 5);
	ck_assert_ptr_nonnull(strstr(file_of("ds", 1, ".csv"), "ds/ds_2026"));
	json_decref(m);
}
END_TEST

START_TEST(rows_that_segments_have_are_not_added)
{
	make_killed_session();
	make_waiting(STREAM_fs, 0, 2, 12);
	make_waiting(STREAM_fs, 1, 14, 8);
	expect_verify(false, VERIFY_UNFINISHED, NULL);
	ck_assert_ptr_eq(strstr(said, "that waited"), NULL);
	expect_verify(true, VERIFY_WHOLE, NULL);
	expect_rows(N_WRITTEN);
}
END_TEST

/* What is older than the last row that was written had left its order: given up, or removed with its segment. */
START_TEST(rows_that_were_given_up_stay_so)
{
	char first[600];

	make_killed_session();
	strcpy(first, file_of("fs", 3, ".csv.part"));
	make_waiting(STREAM_fs, 0, 0, 22);
	header(STREAM_fs);
	add_rows(STREAM_fs, 21, 1);
	session_write(dir, first, text);
	expect_verify(true, VERIFY_WHOLE, NULL);
	ck_assert_ptr_eq(strstr(said, "that waited"), NULL);
}
END_TEST

/* _i: how many of four rows of one time, two and two alike, had been written */
START_TEST(rows_of_one_time_are_compared_by_their_text)
{
	static const char *const comm[] = { "a", "b", "a", "b" };
	char part[600], path[SPOOL_PATH_SIZE], row[512], *open, *csv;
	json_t *m;
	unsigned n_a = 0, n_b = 0;

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	open = session_read(dir, part, NULL);
	open = realloc(open, TEXT_SIZE);
	header(STREAM_fs);
	for (int i = 0; i < 4; i++) {
		char *at = row + make_row(row, STREAM_fs, T0 + 40000000, MONO0 + 40000000, 40);

		/* timestamp, operation, pid, comm: text in the second is as good as any */
		*at = '\0';
		at = strchr(row, ',') + 1;
		memmove(at + 1, at, strlen(at) + 1);
		*at = *comm[i];
		strcat(text, row);
		if (i < _i)
			strcat(open, row);
	}
	session_write(dir, part, open);
	spool_path(STREAM_fs, 0, path);
	session_write(dir, path, text);
	expect_verify(true, VERIFY_WHOLE, NULL);
	m = manifest();
	ck_assert_int_eq(session_int(session_stream(m, "fs"), "rows"), N_WRITTEN + 4);
	json_decref(m);
	for (unsigned k = 3; k <= 3 + (_i < 4); k++) {
		csv = session_read(dir, file_of("fs", k, ".csv"), NULL);
		for (char *at = csv; (at = strstr(at, ",a,")); at++)
			n_a++;
		for (char *at = csv; (at = strstr(at, ",b,")); at++)
			n_b++;
		free(csv);
	}
	ck_assert_uint_eq(n_a, 2);
	ck_assert_uint_eq(n_b, 2);
	free(open);
}
END_TEST

START_TEST(a_row_that_came_late_is_not_the_last)
{
	char part[600], *open;
	json_t *m;

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	open = session_read(dir, part, NULL);
	strcpy(text, open);
	add_rows(STREAM_fs, 3, 1); /* at the end */
	session_write(dir, part, text);
	make_waiting(STREAM_fs, 0, 15, 10);
	expect_verify(true, VERIFY_WHOLE, "made of 3 rows");
	m = manifest();
	ck_assert_int_eq(session_int(session_stream(m, "fs"), "rows"), N_WRITTEN + 1 + 3);
	json_decref(m);
	free(open);
}
END_TEST

/* The same row cut in the segment, which waits whole; and the last that waits is cut at any byte. */
START_TEST(a_cut_row_is_left_out)
{
	char from[300], part[600];

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	shorten(part, 5);
	make_waiting(STREAM_fs, 0, 15, 10);
	strcpy(from, dir);
	for (unsigned cut = 1; cut < 60; cut += 7) {
		copy_again(from);
		shorten("fs/.fs.waiting.0", cut);
		expect_verify(true, VERIFY_WHOLE, "made of 3 rows");
		expect_rows(24);
	}
}
END_TEST

/* _i 0: while the segment was being made; 1: before the manifest had it; 2: before the copies went */
START_TEST(a_repair_that_was_killed_is_done_again)
{
	char from[300], command[3000], last[600], name[100];

	make_killed_session();
	make_waiting(STREAM_fs, 0, 15, 10);
	make_waiting(STREAM_fs, 1, 25, 6);
	strcpy(from, dir);
	copy_again(from);
	expect_verify(true, VERIFY_WHOLE, NULL);
	strcpy(last, file_of("fs", 4, ".csv"));
	snprintf(name, sizeof(name), "%s", last);
	if (_i == 0)
		snprintf(command, sizeof(command), "head -c 2000 %s/%s >%s/fs/.fs.waiting.2", dir,
			 last, from);
	else if (_i == 1)
		snprintf(command, sizeof(command), "cp -a %s/%s %s/%s", dir, last, from, last);
	else
		snprintf(command, sizeof(command), "cp -a %s/fs/.fs.waiting.* %s/fs/", from, dir);
	ck_assert_int_eq(system(command), 0);
	if (_i < 2)
		strcpy(dir, from);
	expect_verify(true, VERIFY_WHOLE, NULL);
	expect_rows(31);
	ck_assert_str_eq(file_of("fs", 4, ".csv"), name);
	expect_verify(false, VERIFY_WHOLE, NULL);
}
END_TEST

static const struct hostile {
	const char *command; /* in the directory of fs */
	const char *message;
} hostiles[] = {
	{ "ln -s ../manifest.json .fs.waiting.0", "a symbolic link, not a file" },
	{ "mkfifo .fs.waiting.0", "not a regular file" },
	{ "mkdir .fs.waiting.0", "not a regular file" },
	{ "head -c 70000 /dev/urandom >.fs.waiting.0; echo >>.fs.waiting.0", "left as it is: " },
	{ "head -c 70000 /dev/zero >.fs.waiting.0; echo >>.fs.waiting.0", "left as it is: " },
	{ "{ cat .fs.waiting.1; head -c 4096 /dev/zero; echo; } >.fs.waiting.0",
	  "left as it is: " },
	{ "head -n 3 .fs.waiting.1 | sed 's/,/;/' >.fs.waiting.0", "header row does not match" },
	{ "cat ../exec/*.csv >.fs.waiting.0", "header row does not match" },
	{ "{ cat .fs.waiting.1; head -c 3000000 /dev/zero | tr '\\0' x; echo; } >.fs.waiting.0",
	  "longer than" },
	{ "truncate -s 40M .fs.waiting.0", "File too large" },
	{ "{ head -n 1 .fs.waiting.1; echo 2026; } >.fs.waiting.0", "left as it is: row 1" },
};

static void expect_refused(const struct hostile *h)
{
	char command[1200];
	json_t *m;

	snprintf(command, sizeof(command), "cd %s/fs && { %s; }", dir, h->command);
	ck_assert_int_eq(system(command), 0);
	expect_verify(false, VERIFY_DAMAGED, h->message);
	expect_verify(true, VERIFY_DAMAGED, h->message);
	/* it stays, and the other one is used */
	ck_assert_uint_eq(session_count(dir, "fs", ".waiting.0", true), 1);
	m = manifest();
	ck_assert_int_eq(session_int(session_stream(m, "fs"), "rows"), 25);
	json_decref(m);
}

START_TEST(what_it_must_not_be_is_refused)
{
	char from[300];

	make_killed_session();
	make_waiting(STREAM_fs, 1, 15, 10);
	strcpy(from, dir);
	for (size_t i = 0; i < sizeof(hostiles) / sizeof(hostiles[0]); i++) {
		copy_again(from);
		expect_refused(&hostiles[i]);
	}
}
END_TEST

START_TEST(a_recording_that_goes_on_is_left_alone)
{
	struct writer *w = begin_session(PACKING_NONE);

	make_folder("fs");
	make_waiting(STREAM_fs, 0, 0, 5);
	expect_verify(false, VERIFY_UNFINISHED, "still being recorded");
	ck_assert_ptr_eq(strstr(said, "wait"), NULL);
	expect_verify(true, VERIFY_DAMAGED, "not repaired: still being recorded");
	ck_assert_uint_eq(session_count(dir, "fs", ".waiting.0", true), 1);
	ck_assert_int_eq(write_finish(w), 0);
	/* and that of one that ended is said */
	expect_verify(false, VERIFY_UNFINISHED, "fs: 5 rows that waited");
}
END_TEST

/* Bytes that are wrong, anywhere: never a crash, never a row of a segment less, never one twice. */
START_TEST(any_byte_may_be_wrong)
{
	char from[300];
	unsigned seed = 1;

	make_killed_session();
	make_waiting(STREAM_fs, 0, 15, 10);
	strcpy(from, dir);
	for (unsigned round = 0; round < 200; round++) {
		int result;
		json_t *m;

		copy_again(from);
		for (unsigned n = 1 + rand_r(&seed) % 3; n; n--)
			flip("fs/.fs.waiting.0", rand_r(&seed) % (long)strlen(text));
		shorten("fs/.fs.waiting.0", rand_r(&seed) % 3 ? 0 : rand_r(&seed) % 600);
		result = run_verify(true);
		ck_assert(result == VERIFY_WHOLE || result == VERIFY_DAMAGED);
		m = manifest();
		ck_assert_int_ge(session_int(session_stream(m, "fs"), "rows"), N_WRITTEN);
		ck_assert_int_le(session_int(session_stream(m, "fs"), "rows"), N_WRITTEN + 10);
		json_decref(m);
		ck_assert_int_eq(run_verify(true), result);
	}
}
END_TEST

static TCase *waiting_case(void)
{
	TCase *tcase = tcase_create("waiting");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, fixture_verify_teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, rows_that_waited_are_the_last_segment);
	tcase_add_test(tcase, a_stream_without_a_segment_gets_one);
	tcase_add_test(tcase, rows_that_segments_have_are_not_added);
	tcase_add_test(tcase, rows_that_were_given_up_stay_so);
	tcase_add_loop_test(tcase, rows_of_one_time_are_compared_by_their_text, 0, 5);
	tcase_add_test(tcase, a_row_that_came_late_is_not_the_last);
	tcase_add_test(tcase, a_cut_row_is_left_out);
	tcase_add_loop_test(tcase, a_repair_that_was_killed_is_done_again, 0, 3);
	tcase_add_test(tcase, what_it_must_not_be_is_refused);
	tcase_add_test(tcase, a_recording_that_goes_on_is_left_alone);
	tcase_add_test(tcase, any_byte_may_be_wrong);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("verify: rows that waited");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, waiting_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
