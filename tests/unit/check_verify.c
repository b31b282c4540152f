/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer verify`: what the writer made is whole, and each kind of damage to the
 * files beside the manifest is found and told by the exit status and a message.
 */
#include "read/verify.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "fixture/fixture_verify.h"
#include "fixture/session.h"
#include "write/write.h"
#include "write/write_session.h"

/* ---- whole ---- */

START_TEST(what_the_writer_made_is_whole)
{
	make_session((enum packing)_i);
	expect_verify(false, VERIFY_WHOLE, "whole: 5 segments, 39 rows");
	ck_assert(strstr(said, "lost 8 of fs: ring") != NULL);
	ck_assert(strstr(said, "iotracer: ") == NULL);
	expect_verify(true, VERIFY_WHOLE, "nothing to repair");
}
END_TEST

START_TEST(session_without_rows_is_whole)
{
	struct writer *w = begin_session(PACKING_NONE);

	write_stream(w, STREAM_fs);
	ck_assert_int_eq(write_finish(w), 0);
	expect_verify(false, VERIFY_WHOLE, "whole: 0 segments, 0 rows");
}
END_TEST

START_TEST(clock_set_back_by_an_hour_is_told_and_no_damage)
{
	const uint64_t hour = 3600000000000ull;
	struct writer *w = begin_session(PACKING_NONE);
	json_t *members;
	char row[512];

	/* the first of the new clock was formatted by the old one */
	for (unsigned i = 0; i < 25; i++) {
		uint64_t shown = T0 + i * 1000000ull - (i > 12 ? hour : 0);
		size_t len = make_row(row, STREAM_fs, shown, MONO0 + i * 1000000ull, i);

		write_row(w, STREAM_fs, row, len, T0 + i * 1000000ull - (i >= 12 ? hour : 0));
	}
	members = json_pack("{s:[{s:I, s:I}, {s:I, s:I}], s:{s:{}}}", "clocks", "mono_ns",
			    (json_int_t)MONO0, "real_ns", (json_int_t)T0, "mono_ns",
			    (json_int_t)(MONO0 + 12000000), "real_ns",
			    (json_int_t)(T0 + 12000000 - hour), "reader", "late");
	write_manifest_members(w, members);
	json_decref(members);
	ck_assert_int_eq(write_finish(w), 0);
	expect_verify(false, VERIFY_WHOLE, "the wall clock was set back by 3600.000 s");
}
END_TEST

START_TEST(rows_that_could_not_be_written_are_told)
{
	json_t *m, *fs;

	make_session(PACKING_NONE);
	m = manifest();
	fs = session_stream(m, "fs");
	json_object_set_new(fs, "unwritable", json_integer(7));
	write_json("manifest.json", m);
	expect_verify(false, VERIFY_WHOLE, "7 rows of fs could not be written");
}
END_TEST

/* ---- damage to files ---- */

static const char *ending_of(int packing)
{
	static char ending[16];

	snprintf(ending, sizeof(ending), ".csv%s", packings[packing].ending);
	return ending;
}

START_TEST(flipped_byte_is_found_wherever_it_is)
{
	static const long where[] = { 1, -1, 200, -40 };

	make_session((enum packing)(_i % N_BUILT_IN));
	flip(file_of("fs", 2, ending_of(_i % N_BUILT_IN)), where[_i / N_BUILT_IN]);
	expect_verify(false, VERIFY_DAMAGED, "SHA-256");
	ck_assert(strstr(said, "_0002.csv") != NULL);
	ck_assert(strstr(said, "damaged: 5 segments") != NULL);
}
END_TEST

/* One that no row shows: the last digit of a time. */
START_TEST(flipped_byte_inside_a_cell_is_one_message)
{
	make_session(PACKING_NONE);
	flip(file_of("lost", 1, ".csv"), (long)schema_header(STREAM_lost, 0, NULL, 0) + 25);
	expect_one(VERIFY_DAMAGED, "changed since it was written");
}
END_TEST

START_TEST(segment_without_its_end_is_found)
{
	make_session((enum packing)_i);
	shorten(file_of("exec", 1, ending_of(_i)), 5);
	expect_verify(false, VERIFY_DAMAGED,
		      _i ? "compressed data truncated" : "last row incomplete");
}
END_TEST

START_TEST(missing_segment_is_found)
{
	make_session(PACKING_NONE);
	remove_in(file_of("fs", 2, ".csv"));
	expect_one(VERIFY_DAMAGED, "_0002.csv: missing");
}
END_TEST

START_TEST(link_in_place_of_a_segment_is_found)
{
	char path[900];
	const char *file;

	make_session(PACKING_NONE);
	file = file_of("fs", 2, ".csv");
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	rename_in(file, "moved.csv");
	ck_assert_int_eq(symlink("../moved.csv", path), 0);
	expect_one(VERIFY_DAMAGED, "a symbolic link");
}
END_TEST

START_TEST(exchanged_segments_are_found)
{
	char one[600], two[600];

	make_session(PACKING_NONE);
	strcpy(one, file_of("fs", 1, ".csv"));
	strcpy(two, file_of("fs", 2, ".csv"));
	rename_in(one, "x");
	rename_in(two, one);
	rename_in("x", two);
	expect_verify(false, VERIFY_DAMAGED, "10 rows of fs written out of time order");
}
END_TEST

START_TEST(files_that_nobody_lists_are_told)
{
	make_session(PACKING_NONE);
	session_write(dir, "fs/notes.txt", "mine");
	expect_verify(false, VERIFY_WHOLE, "fs/notes.txt: not written by iotracer");
	session_write(dir, "fs/fs_20260101_000000_000_0009.csv", "x");
	expect_verify(false, VERIFY_DAMAGED, "_0009.csv: not in the manifest, and damaged");
}
END_TEST

/* ---- the data package ---- */

START_TEST(package_is_held_against_the_segments)
{
	json_t *p, *r, *field;

	make_session(PACKING_NONE);
	p = session_json(dir, "datapackage.json");
	r = json_array_get(json_object_get(p, "resources"), 0);
	switch (_i) {
	case 0:
		json_array_remove(json_object_get(r, "path"), 1);
		break;
	case 1:
		json_array_append_new(json_object_get(r, "path"), json_string("fs/nothing.csv"));
		break;
	case 2:
		field = json_array_get(json_object_get(json_object_get(r, "schema"), "fields"), 2);
		json_object_set_new(field, "type", json_string("string"));
		break;
	case 3:
		json_array_remove(json_object_get(json_object_get(r, "schema"), "fields"), 2);
		break;
	case 4:
		json_array_append_new(json_object_get(r, "path"), json_integer(1));
		break;
	case 5:
		json_object_set_new(p, "resources", json_integer(1));
		break;
	}
	write_json("datapackage.json", p);
	if (_i == 6)
		session_write(dir, "datapackage.json", "{");
	if (_i == 7)
		remove_in("datapackage.json");
	expect_one(VERIFY_DAMAGED, "datapackage.json: ");
}
END_TEST

/* ---- the newest snapshots ---- */

/* One of 10 processes and its copy, as snapshots leave them. */
static void make_snapshot(void)
{
	struct writer *w = begin_session(PACKING_NONE);
	json_t *account = json_pack("{s:{s:{s:i, s:{s:i, s:I}}}}", "snapshots", "process", "kept",
				    1, "last", "rows", 10, "started_ns", (json_int_t)T0);
	char *text;

	put_rows(w, STREAM_process, 0, 10);
	write_manifest_members(w, account);
	json_decref(account);
	ck_assert_int_eq(write_finish(w), 0);
	text = session_read(dir, file_of("process", 1, ".csv"), NULL);
	session_write(dir, "process_snap.csv", text);
	free(text);
}

START_TEST(newest_snapshot_is_held_against_the_manifest)
{
	static const char *const messages[] = {
		"whole: 1 segments, 10 rows",
		"process_snap.csv: differs from the newest snapshot",
		"process_snap.csv: last row incomplete",
		"process_snap.csv: missing",
		"process_snap.csv: 10 rows, the manifest says 11",
		"last snapshot of process has no valid number of rows",
		"filesystem_snap.csv.gz: compressed data truncated",
	};
	json_t *m, *last;

	make_snapshot();
	m = manifest();
	last = json_object_get(json_object_get(json_object_get(m, "snapshots"), "process"), "last");
	switch (_i) {
	case 1:
		flip("process_snap.csv", -3);
		break;
	case 2:
		shorten("process_snap.csv", 3);
		break;
	case 3:
		remove_in("process_snap.csv");
		break;
	case 4:
		json_object_set_new(last, "rows", json_integer(11));
		break;
	case 5:
		json_object_set_new(last, "rows", json_string("ten"));
		break;
	case 6:
		session_write(dir, "filesystem_snap.csv.gz", "\x1f\x8b\x08");
		break;
	}
	write_json("manifest.json", m);
	if (_i)
		expect_one(VERIFY_DAMAGED, messages[_i]);
	else
		expect_verify(false, VERIFY_WHOLE, messages[_i]);
}
END_TEST

/* ---- the command ---- */

static int command(char *a, char *b, char *c)
{
	char name[] = "verify";
	char *argv[] = { name, a, b, c, NULL };
	int status;

	said_begin();
	status = verify_command(1 + !!a + !!b + !!c, argv);
	said_end();
	return status;
}

START_TEST(command_line_is_judged)
{
	char help[] = "--help", wrong[] = "--wrong", quiet[] = "-q", repair[] = "--repair",
	     none[] = "/nowhere";

	ck_assert_int_eq(command(NULL, NULL, NULL), 2);
	ck_assert_int_eq(command(wrong, NULL, NULL), 2);
	ck_assert_int_eq(command(help, NULL, NULL), 0);
	ck_assert(strstr(said, "--repair") != NULL);
	make_killed_session();
	ck_assert_int_eq(command(dir, NULL, NULL), 3);
	ck_assert_int_eq(command(dir, none, NULL), 1);
	ck_assert_int_eq(command(none, dir, NULL), 1);
	ck_assert_int_eq(command(repair, dir, NULL), 0);
	ck_assert_int_eq(command(dir, quiet, NULL), 0);
	ck_assert_str_eq(said, "");
}
END_TEST

static TCase *whole_case(void)
{
	TCase *tcase = tcase_create("whole");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, fixture_verify_teardown);
	tcase_add_loop_test(tcase, what_the_writer_made_is_whole, 0, N_BUILT_IN);
	tcase_add_test(tcase, session_without_rows_is_whole);
	tcase_add_test(tcase, clock_set_back_by_an_hour_is_told_and_no_damage);
	tcase_add_test(tcase, rows_that_could_not_be_written_are_told);
	return tcase;
}

static TCase *damage_case(void)
{
	TCase *tcase = tcase_create("damage");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, fixture_verify_teardown);
	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, flipped_byte_is_found_wherever_it_is, 0, 4 * N_BUILT_IN);
	tcase_add_test(tcase, flipped_byte_inside_a_cell_is_one_message);
	tcase_add_loop_test(tcase, segment_without_its_end_is_found, 0, N_BUILT_IN);
	tcase_add_test(tcase, missing_segment_is_found);
	tcase_add_test(tcase, link_in_place_of_a_segment_is_found);
	tcase_add_test(tcase, exchanged_segments_are_found);
	tcase_add_test(tcase, files_that_nobody_lists_are_told);
	tcase_add_loop_test(tcase, package_is_held_against_the_segments, 0, 8);
	tcase_add_loop_test(tcase, newest_snapshot_is_held_against_the_manifest, 0, 7);
	return tcase;
}

static TCase *command_case(void)
{
	TCase *tcase = tcase_create("command");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, fixture_verify_teardown);
	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, command_line_is_judged);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("verify");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, whole_case());
	suite_add_tcase(suite, damage_case());
	suite_add_tcase(suite, command_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
