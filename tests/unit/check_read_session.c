/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session directories as readers see them: finished, recorded at this moment,
 * killed, damaged; their rows by several threads and merged by time.
 */
#include "read/read_session.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "fixture/fixture_verify.h"
#include "fixture/session.h"
#include "read/read_merge.h"
#include "read/read_parallel.h"

static struct read_session session;

static void open_session(void)
{
	said_begin();
	ck_assert_int_eq(read_session_open(&session, dir), 0);
	said_end();
}

static void teardown(void)
{
	read_session_close(&session);
	fixture_verify_teardown();
}

/* ---- rows ---- */

static const struct read_column time_columns[] = { { .name = "mono_ns", .kind = PARSE_UINT } };
static const struct read_query queries[] = {
	{ STREAM_fs, time_columns, 1 },
	{ STREAM_exec, time_columns, 1 },
	{ STREAM_lost, time_columns, 1 },
};

struct seen {
	uint64_t rows[N_STREAMS];
	uint64_t last[N_STREAMS][8]; /* mono_ns, of each segment */
	unsigned ends;
	uint64_t disorder;
};

/* What no two threads touch at once: a segment has one. */
static void see_row(void *arg, const struct read_task *task, const struct field *fields)
{
	struct seen *seen = arg;
	uint64_t *last = &seen->last[task->query->stream][task->index];

	__atomic_add_fetch(&seen->rows[task->query->stream], 1, __ATOMIC_RELAXED);
	if (fields[0].u <= *last)
		__atomic_add_fetch(&seen->disorder, 1, __ATOMIC_RELAXED);
	*last = fields[0].u;
}

static void see_end(void *arg, const struct read_task *task, const struct rows_file *rows)
{
	struct seen *seen = arg;

	ck_assert(rows_file_has(rows, 0));
	ck_assert_ptr_eq(task->segment,
			 &session.streams[task->query->stream].segments[task->index]);
	__atomic_add_fetch(&seen->ends, 1, __ATOMIC_RELAXED);
}

static struct read_totals read_all(struct seen *seen, unsigned n_threads)
{
	const struct read_parallel read = {
		.session = &session,
		.queries = queries,
		.n_queries = 3,
		.n_threads = n_threads,
		.arg = seen,
		.row = see_row,
		.end = see_end,
	};
	struct read_totals totals;

	memset(seen, 0, sizeof(*seen));
	said_begin();
	ck_assert_int_eq(read_parallel(&read, &totals), 0);
	said_end();
	ck_assert_uint_eq(seen->disorder, 0);
	return totals;
}

static void unpack(const char *gz)
{
	size_t len;
	char *text = session_read(dir, gz, &len), plain[600];

	snprintf(plain, sizeof(plain), "%.*s", (int)strlen(gz) - 3, gz);
	session_write(dir, plain, text);
	free(text);
	remove_in(gz);
}

/* ---- finished ---- */

START_TEST(rows_are_the_same_by_any_number_of_threads)
{
	struct seen seen;

	make_session((enum packing)_i);
	open_session();
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(session.state, READ_ENDED);
	ck_assert_uint_eq(session.streams[STREAM_fs].n_segments, 3);
	ck_assert_uint_eq(session.streams[STREAM_fs].segments[2].rows, 5);
	ck_assert(session.streams[STREAM_ds].on && !session.streams[STREAM_ds].n_segments);
	ck_assert(!session.streams[STREAM_nw].on);
	ck_assert_uint_eq(json_array_size(session.losses), 1);
	for (unsigned n = 1; n < 6; n++) {
		struct read_totals totals = read_all(&seen, n);

		ck_assert_uint_eq(totals.rows, 39);
		ck_assert_uint_eq(totals.bad_rows + totals.unreadable, 0);
		ck_assert_uint_eq(seen.rows[STREAM_fs], 25);
		ck_assert_uint_eq(seen.rows[STREAM_lost], 4);
		ck_assert_uint_eq(seen.ends, 5);
	}
	ck_assert_uint_ge(read_threads(), 1);
}
END_TEST

START_TEST(plain_and_compressed_segments_mix)
{
	struct seen seen;

	make_session(PACKING_GZ);
	unpack(file_of("fs", 2, ".csv.gz"));
	said_begin();
	ck_assert_int_eq(read_session_open(&session, dir), 0);
	said_end();
	ck_assert_uint_eq(session.streams[STREAM_fs].n_segments, 3);
	ck_assert_uint_eq(read_all(&seen, 2).rows, 39);
	ck_assert(read_session_whole(&session));
}
END_TEST

/* Rows that are gone at a row's end, by each way of reading. */
START_TEST(fewer_rows_than_the_manifest_says)
{
	struct read_merged row = { .query = 0 };
	struct read_merge *merge;
	struct read_totals totals;
	uint64_t missing;
	struct seen seen;
	char *text;
	size_t len;

	make_session(PACKING_NONE);
	text = session_read(dir, file_of("fs", 2, ".csv"), &len);
	text[len - 1] = '\0';
	shorten(file_of("fs", 2, ".csv"), (long)(len - 1 - (size_t)(strrchr(text, '\n') - text)));
	free(text);
	open_session();
	ck_assert(read_session_whole(&session));
	totals = read_all(&seen, 2);
	ck_assert_uint_eq(totals.rows, 38);
	ck_assert_uint_eq(totals.unreadable, 1);
	ck_assert_ptr_nonnull(strstr(said, "9 rows, the manifest says 10"));
	ck_assert(!read_session_whole(&session));
	read_session_close(&session);
	open_session();
	said_begin();
	merge = read_merge_open(&session, queries, 3);
	while (read_merge_next(merge, &row))
		;
	read_merge_totals(merge, 0, &totals, &missing);
	read_merge_close(merge);
	said_end();
	ck_assert_uint_eq(totals.unreadable, 1);
	ck_assert_ptr_nonnull(strstr(said, "9 rows, the manifest says 10"));
	ck_assert(!read_session_whole(&session));
}
END_TEST

/* Of a finished recording the manifest knows all files. */
START_TEST(what_the_manifest_does_not_list_is_left_out)
{
	char command[1400], ending[16];
	struct seen seen;

	snprintf(ending, sizeof(ending), ".csv%s", packings[_i].ending);
	make_session((enum packing)_i);
	snprintf(command, sizeof(command), "cd %s && cp %s fs/fs_20300101_000000_000_0099.csv%s",
		 dir, file_of("fs", 2, ending), packings[_i].ending);
	ck_assert_int_eq(system(command), 0);
	snprintf(command, sizeof(command), "cd %s && cp %s 'fs/fs copy.csv%s'", dir,
		 file_of("fs", 1, ending), packings[_i].ending);
	ck_assert_int_eq(system(command), 0);
	open_session();
	ck_assert_ptr_nonnull(strstr(said, "_0099.csv"));
	ck_assert_ptr_nonnull(strstr(said, "fs/fs copy.csv"));
	ck_assert_ptr_nonnull(strstr(said, ": not in the manifest: left out"));
	ck_assert(!read_session_whole(&session));
	ck_assert_uint_eq(read_all(&seen, 2).rows, 39);
}
END_TEST

/* A part whose closed form is there tells nothing new, and is nothing strange. */
START_TEST(a_part_that_was_closed_is_passed_over)
{
	char command[1400], name[600], part[700];
	struct seen seen;

	make_session(PACKING_NONE);
	strcpy(name, file_of("fs", 2, ".csv"));
	snprintf(part, sizeof(part), "fs/.%s.part", name + 3);
	snprintf(command, sizeof(command), "cd %s && cp %s %s", dir, name, part);
	ck_assert_int_eq(system(command), 0);
	open_session();
	ck_assert_str_eq(said, "");
	ck_assert(read_session_whole(&session));
	ck_assert_uint_eq(read_all(&seen, 2).rows, 39);
}
END_TEST

/* Of a killed one all but the youngest: numbers are given in order. */
START_TEST(a_copy_in_a_killed_recording_is_left_out)
{
	char command[1400], name[600];
	struct seen seen;

	make_killed_session();
	open_session();
	ck_assert(read_session_whole(&session));
	ck_assert_uint_eq(read_all(&seen, 2).rows, 25);
	read_session_close(&session);
	strcpy(name, file_of("fs", 2, ".csv"));
	snprintf(command, sizeof(command), "cd %s && cp %s fs/fs_20300101_000000_000_0002.csv", dir,
		 name);
	ck_assert_int_eq(system(command), 0);
	open_session();
	ck_assert_ptr_nonnull(
		strstr(said, "fs/fs_20300101_000000_000_0002.csv: not in the manifest"));
	ck_assert(!read_session_whole(&session));
	ck_assert_uint_eq(read_all(&seen, 2).rows, 25);
}
END_TEST

START_TEST(what_is_missing_or_damaged_is_not_whole)
{
	struct seen seen;

	make_session(PACKING_NONE);
	if (_i == 0)
		remove_in(file_of("fs", 2, ".csv"));
	else if (_i == 1)
		flip(file_of("fs", 2, ".csv"), -1);
	else if (_i == 2)
		session_write(dir, "manifest.json", "{");
	else
		shorten(file_of("fs", 2, ".csv"), 3);
	open_session();
	read_all(&seen, 2);
	ck_assert(!read_session_whole(&session));
}
END_TEST

START_TEST(merged_rows_are_in_the_order_of_time)
{
	struct read_merged row = { .query = 0 };
	struct read_merge *merge;
	uint64_t before = 0, n[3] = { 0 };

	make_session((enum packing)_i);
	open_session();
	merge = read_merge_open(&session, queries, 3);
	while (read_merge_next(merge, &row)) {
		ck_assert_uint_ge(row.mono_ns, before);
		ck_assert_uint_eq(row.mono_ns, row.fields[0].u);
		ck_assert_int_eq(segment_stream(row.segment->file), (int)queries[row.query].stream);
		before = row.mono_ns;
		n[row.query]++;
	}
	read_merge_close(merge);
	ck_assert_uint_eq(n[0], 25);
	ck_assert_uint_eq(n[1], 10);
	ck_assert_uint_eq(n[2], 4);
}
END_TEST

START_TEST(clocks_place_a_row_on_the_wall)
{
	make_session(PACKING_NONE);
	open_session();
	ck_assert_uint_eq(read_session_real_ns(session.clocks, MONO0 + 5), T0 + 5);
	ck_assert_uint_eq(read_session_real_ns(NULL, MONO0), 0);
}
END_TEST

/* ---- not finished ---- */

START_TEST(killed_session_has_all_whole_rows)
{
	struct seen seen;
	const char *part;

	make_killed_session();
	part = file_of("fs", 3, ".csv.part");
	shorten(part, 3);
	open_session();
	ck_assert_int_eq(session.state, READ_KILLED);
	ck_assert_uint_eq(session.streams[STREAM_fs].n_segments, 3);
	ck_assert(session.streams[STREAM_fs].segments[2].open);
	ck_assert_uint_eq(read_all(&seen, 2).rows, 10 + 10 + 1 + 3);
	ck_assert_str_eq(said, ""); /* an open file may end anywhere */
}
END_TEST

START_TEST(open_file_is_found_under_its_final_name)
{
	char final[600], *part;
	struct seen seen;

	make_killed_session();
	open_session();
	part = strdup(file_of("fs", 3, ".csv.part"));
	snprintf(final, sizeof(final), "fs/%.*s", (int)strlen(part) - 9, part + 4);
	rename_in(part, final);
	ck_assert_uint_eq(read_all(&seen, 2).rows, 25);
	free(part);
}
END_TEST

START_TEST(file_that_was_closed_is_not_read_twice)
{
	struct seen seen;
	char part[600], *text;
	const char *file;

	make_session(PACKING_GZ);
	file = file_of("fs", 3, ".csv.gz");
	text = session_read(dir, file, NULL);
	snprintf(part, sizeof(part), "fs/.%.*s.part", (int)strlen(file) - 6, file + 3);
	session_write(dir, part, text);
	snprintf(part, sizeof(part), "fs/.%s.part", file + 3);
	session_write(dir, part, "a copy under way");
	free(text);
	open_session();
	ck_assert_uint_eq(session.streams[STREAM_fs].n_segments, 3);
	ck_assert_uint_eq(read_all(&seen, 1).rows, 39);
}
END_TEST

START_TEST(session_being_recorded_is_told)
{
	struct seen seen;
	int lock;

	make_killed_session();
	lock = open(dir, O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(lock, LOCK_EX), 0);
	open_session();
	ck_assert_int_eq(session.state, READ_RECORDING);
	remove_in(file_of("fs", 1, ".csv")); /* to keep to --max-disk */
	ck_assert_uint_eq(read_all(&seen, 2).rows, 15);
	ck_assert_str_eq(said, "");
	close(lock);
}
END_TEST

/* ---- what is wrong is told, with file and row ---- */

START_TEST(bad_row_is_left_out_and_told)
{
	struct read_totals totals;
	struct seen seen;
	const char *file;
	size_t len;
	char *text, *at;

	make_session(PACKING_NONE);
	file = file_of("fs", 1, ".csv");
	text = session_read(dir, file, &len);
	at = strrchr(text, ',');
	at[1] = 'x';
	session_write(dir, file, text);
	free(text);
	open_session();
	totals = read_all(&seen, 2);
	ck_assert_uint_eq(totals.rows, 38);
	ck_assert_uint_eq(totals.bad_rows, 1);
	ck_assert_msg(strstr(said, file) && strstr(said, ": row 10: mono_ns: 'x") &&
			      strstr(said, "1 of 10 rows left out"),
		      "%s", said);
}
END_TEST

START_TEST(cut_compressed_file_has_its_whole_rows)
{
	struct seen seen;
	uint64_t rows;

	make_session(PACKING_GZ);
	shorten(file_of("fs", 1, ".csv.gz"), 20);
	open_session();
	rows = read_all(&seen, 2).rows;
	ck_assert_uint_ge(rows, 29);
	ck_assert_uint_lt(rows, 39 + 1);
	ck_assert_msg(strstr(said, "_0001.csv.gz: compressed data truncated"), "%s", said);
}
END_TEST

START_TEST(missing_segment_is_counted)
{
	struct seen seen;

	make_session(PACKING_NONE);
	remove_in(file_of("fs", 2, ".csv"));
	open_session();
	ck_assert_uint_eq(session.streams[STREAM_fs].n_missing, 1);
	ck_assert_msg(strstr(said, "1 segments of fs are missing"), "%s", said);
	ck_assert_uint_eq(read_all(&seen, 2).rows, 29);
}
END_TEST

START_TEST(damaged_manifest_leaves_the_rows)
{
	struct seen seen;

	make_session(PACKING_NONE);
	shorten("manifest.json", 10);
	open_session();
	ck_assert_msg(strstr(said, "manifest.json: damaged at line"), "%s", said);
	ck_assert_uint_eq(read_all(&seen, 2).rows, 39);
}
END_TEST

static const struct {
	const char *manifest;
	const char *message;
} others[] = {
	{ NULL, "not a trace directory" },
	{ "{\"schema_version\": 1}", "written by another tool" },
	{ "{\"format\": \"iotracer\", \"schema_version\": 99}", "schema 99 is unknown" },
};

START_TEST(other_directories_are_refused)
{
	if (others[_i].manifest)
		session_write(scratch, "manifest.json", others[_i].manifest);
	said_begin();
	ck_assert_int_lt(read_session_open(&session, scratch), 0);
	ck_assert_int_lt(read_session_open(&session, "/dev/null"), 0);
	ck_assert_int_lt(read_session_open(&session, "/nowhere"), 0);
	said_end();
	ck_assert_msg(strstr(said, others[_i].message), "%s", said);
	ck_assert_msg(strstr(said, "/dev/null: not a directory"), "%s", said);
}
END_TEST

static Suite *read_session_suite(void)
{
	Suite *suite = suite_create("read_session");
	TCase *tcase = tcase_create("session");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, rows_are_the_same_by_any_number_of_threads, 0, N_BUILT_IN);
	tcase_add_test(tcase, plain_and_compressed_segments_mix);
	tcase_add_test(tcase, fewer_rows_than_the_manifest_says);
	tcase_add_loop_test(tcase, what_the_manifest_does_not_list_is_left_out, 0, N_BUILT_IN);
	tcase_add_test(tcase, a_copy_in_a_killed_recording_is_left_out);
	tcase_add_test(tcase, a_part_that_was_closed_is_passed_over);
	tcase_add_loop_test(tcase, what_is_missing_or_damaged_is_not_whole, 0, 4);
	tcase_add_loop_test(tcase, merged_rows_are_in_the_order_of_time, 0, N_BUILT_IN);
	tcase_add_test(tcase, clocks_place_a_row_on_the_wall);
	tcase_add_test(tcase, killed_session_has_all_whole_rows);
	tcase_add_test(tcase, open_file_is_found_under_its_final_name);
	tcase_add_test(tcase, file_that_was_closed_is_not_read_twice);
	tcase_add_test(tcase, session_being_recorded_is_told);
	tcase_add_test(tcase, bad_row_is_left_out_and_told);
	tcase_add_test(tcase, cut_compressed_file_has_its_whole_rows);
	tcase_add_test(tcase, missing_segment_is_counted);
	tcase_add_test(tcase, damaged_manifest_leaves_the_rows);
	tcase_add_loop_test(tcase, other_directories_are_refused, 0, 3);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(read_session_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
