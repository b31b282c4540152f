/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer verify` and manifests that are damaged, missing, of another tool or no
 * longer true of their segments: each is told, and made anew where that can be.
 */
#include "read/verify.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixture/fixture_verify.h"
#include "fixture/session.h"
#include "write/write.h"

/* ---- members ---- */

static void break_entry(const char *stream, const char *name, json_t *value)
{
	json_t *m = manifest(), *segments = json_object_get(session_stream(m, stream), "segments");

	if (value)
		json_object_set_new(json_array_get(segments, 0), name, value);
	else
		json_object_del(json_array_get(segments, 0), name);
	write_json("manifest.json", m);
}

static const struct {
	const char *name;
	const char *value; /* JSON; NULL: the member goes */
	const char *says;
} entries[] = {
	{ "rows", "11", "10 rows, the manifest says 11" },
	{ "rows", "-1", "the manifest has no valid rows" },
	{ "rows", "\"10\"", "the manifest has no valid rows" },
	{ "rows", NULL, "the manifest has no valid rows" },
	{ "bytes", "1", "bytes, the manifest says 1" },
	{ "csv_bytes", "1", "csv_bytes, the manifest says 1" },
	{ "sha256", "\"00\"", "the manifest says 00" },
	{ "sha256", "null", "the manifest says nothing" },
	{ "first", "\"2026-09-21 19:43:21.123456\"",
	  "its first row has time 2026-09-21 19:43:20.123456" },
	{ "last", "\"2026-09-21 19:43:20.123456\"", "its last row has time" },
	{ "first", "\"yesterday\"", "no valid first or first_ns" },
	{ "last", "[]", "no valid last or last_ns" },
	{ "first_ns", "1790000001123456789", "first and first_ns are different times" },
	{ "last_ns", "{}", "no valid last or last_ns" },
	{ "compressed", "true", "compressed is wrong" },
	{ "file", "\"../out/fs/x.csv\"", "segment 1 of exec has no valid file name" },
	{ "file", "\"/etc/passwd\"", "segment 1 of exec has no valid file name" },
	{ "file", "\"manifest.json\"", "not a segment name" },
	{ "file", "17", "segment 1 of exec has no valid file name" },
};

START_TEST(wrong_member_of_a_segment_is_named)
{
	make_session(PACKING_NONE);
	break_entry("exec", entries[_i].name,
		    entries[_i].value ? json_loads(entries[_i].value, JSON_DECODE_ANY, NULL) :
					NULL);
	expect_verify(false, VERIFY_DAMAGED, entries[_i].says);
}
END_TEST

static const struct {
	const char *name;
	const char *value;
	const char *says;
} members[] = {
	{ "streams", "3", "no list of streams" },
	{ "streams", "[1, {\"name\": \"fs\"}, {\"segments\": []}]",
	  "a stream has no name or no list of segments" },
	{ "streams", "[{\"name\": \"fs\", \"segments\": []}]", "the counts of fs are not valid" },
	{ "state", "\"asleep\"", "unknown state 'asleep'" },
	{ "state", "\"recording\"", "has an end, but its state is recording" },
	{ "started_ns", "null", "no valid started_ns" },
	{ "schema_version", "\"1\"", "no valid schema_version" },
	{ "schema_version", "99", "schema 99 of a newer iotracer" },
	{ "format", "\"csv\"", "written by another tool (format csv)" },
	{ "format", "null", "written by another tool (it has no format)" },
	{ "clocks", "[1]", "entry 0 of clocks is not valid" },
	{ "lost", "[{\"stream\": \"fs\"}]", "entry 0 of lost is not valid" },
	{ "lost", "[{\"stream\": \"fs\", \"reason\": \"ring\", \"count\": 9}]",
	  "9 of fs lost (ring), but" },
};

START_TEST(wrong_member_of_the_manifest_is_named)
{
	json_t *m;

	make_session(PACKING_NONE);
	m = manifest();
	json_object_set_new(m, members[_i].name,
			    json_loads(members[_i].value, JSON_DECODE_ANY, NULL));
	write_json("manifest.json", m);
	expect_verify(false, VERIFY_DAMAGED, members[_i].says);
}
END_TEST

START_TEST(wrong_count_of_a_stream_is_named)
{
	json_t *m;

	make_session(PACKING_NONE);
	m = manifest();
	json_object_set_new(session_stream(m, "fs"), "rows", json_integer(26));
	write_json("manifest.json", m);
	expect_one(VERIFY_DAMAGED, "26 rows of fs, its segments have 25");
}
END_TEST

START_TEST(gap_in_the_sequence_is_named)
{
	json_t *m, *p, *fs, *paths;
	char file[600];

	make_session(PACKING_NONE);
	m = manifest();
	fs = session_stream(m, "fs");
	json_array_remove(json_object_get(fs, "segments"), 1);
	json_object_set_new(fs, "rows", json_integer(15));
	write_json("manifest.json", m);
	strcpy(file, file_of("fs", 2, ".csv"));
	remove_in(file);
	p = session_json(dir, "datapackage.json");
	paths = json_object_get(json_array_get(json_object_get(p, "resources"), 0), "path");
	json_array_remove(paths, 1);
	write_json("datapackage.json", p);
	expect_one(VERIFY_DAMAGED, "last segment of fs is number 3, but only 2 are accounted for");
}
END_TEST

START_TEST(segments_listed_twice_or_in_disorder_are_named)
{
	json_t *m, *segments;

	make_session(PACKING_NONE);
	m = manifest();
	segments = json_object_get(session_stream(m, "fs"), "segments");
	json_array_append(segments, json_array_get(segments, 0));
	write_json("manifest.json", m);
	expect_verify(false, VERIFY_DAMAGED, "listed twice");
	ck_assert(strstr(said, "listed out of order in the manifest, after number 3") != NULL);
}
END_TEST

/* ---- the whole of it ---- */

START_TEST(manifest_cut_in_half_leaves_the_segments_readable)
{
	char *text;
	size_t len;

	make_session(PACKING_NONE);
	text = session_read(dir, "manifest.json", &len);
	text[len / 2] = '\0';
	session_write(dir, "manifest.json", text);
	expect_verify(false, VERIFY_DAMAGED, "manifest.json: damaged at line");
	ck_assert_msg(strstr(said, "damaged: 5 segments, 39 rows") != NULL, "%s", said);
	expect_verify(true, VERIFY_WHOLE, "whole: 5 segments, 39 rows");
	ck_assert(strstr(said, "kept as manifest.json.damaged") != NULL);
	free(text);
	text = session_read(dir, "manifest.json.damaged", &len);
	ck_assert(text != NULL);
	free(text);
}
END_TEST

START_TEST(missing_manifest_is_made_anew)
{
	make_session(PACKING_GZ);
	remove_in("manifest.json");
	remove_in("datapackage.json");
	expect_verify(false, VERIFY_DAMAGED, "manifest.json: missing");
	expect_verify(true, VERIFY_WHOLE, "whole: 5 segments, 39 rows");
	ck_assert(strstr(said, "rebuilt") != NULL);
}
END_TEST

START_TEST(segment_lost_with_the_manifest_stays_missing)
{
	char last[600];

	make_session(PACKING_NONE);
	strcpy(last, file_of("fs", 3, ".csv"));
	remove_in(last);
	remove_in("manifest.json");
	expect_verify(true, VERIFY_DAMAGED, "_0003.csv: missing");
	expect_verify(false, VERIFY_DAMAGED, "_0003.csv: missing");
	expect_verify(true, VERIFY_DAMAGED, "_0003.csv: missing");
}
END_TEST

START_TEST(what_is_no_trace_is_refused_and_left_alone)
{
	char *text;

	snprintf(dir, sizeof(dir), "%s/none", scratch);
	expect_one(VERIFY_DAMAGED, "No such file");
	session_write(scratch, "none", "");
	expect_one(VERIFY_DAMAGED, "not a directory");
	snprintf(dir, sizeof(dir), "%s/other", scratch);
	mkdir(dir, 0755);
	expect_one(VERIFY_DAMAGED, "not a directory of iotracer record");
	session_write(dir, "manifest.json", "{\"schema_version\": 1, \"streams\": []}");
	expect_one(VERIFY_DAMAGED, "written by another tool");
	expect_verify(true, VERIFY_DAMAGED, "written by another tool");
	text = session_read(dir, "manifest.json", NULL);
	ck_assert_str_eq(text, "{\"schema_version\": 1, \"streams\": []}");
	free(text);
	session_write(dir, "manifest.json", "[1, 2]");
	expect_one(VERIFY_DAMAGED, "written by another tool");
	session_write(dir, "manifest.json", "");
	expect_one(VERIFY_DAMAGED, "damaged at line 1");
	expect_verify(true, VERIFY_DAMAGED, "damaged at line 1");
	ck_assert(session_exists(dir, "manifest.json"));
}
END_TEST

/*
 * Every byte of a manifest, changed: never a crash, and what
 * describes a segment never unnoticed.
 */
START_TEST(every_byte_of_a_manifest_may_be_wrong)
{
	static const char others[] = { '0', '"', '\xff' };
	char *text, *entry, *entry_end;
	size_t len;
	int result;

	make_session(PACKING_NONE);
	text = session_read(dir, "manifest.json", &len);
	entry = strstr(text, "\"rows\": 10,");
	entry_end = strstr(entry, "\"first\"");
	/* each in one of the ways: a gate has not all day */
	for (size_t i = (size_t)_i; i < len; i += sizeof(others)) {
		char was = text[i];

		text[i] = others[_i] == was ? was ^ 2 : others[_i];
		remove_in("manifest.json"); /* see open_said */
		session_write(dir, "manifest.json", text);
		result = run_verify(false);
		ck_assert_msg(result == VERIFY_WHOLE || result == VERIFY_DAMAGED ||
				      result == VERIFY_UNFINISHED,
			      "byte %zu: %d", i, result);
		if (text + i >= entry && text + i < entry_end)
			ck_assert_msg(result == VERIFY_DAMAGED || strchr(" \n", was),
				      "byte %zu: %.40s", i, text + i);
		text[i] = was;
	}
	free(text);
}
END_TEST

static TCase *manifest_case(void)
{
	TCase *tcase = tcase_create("manifest");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, fixture_verify_teardown);
	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, wrong_member_of_a_segment_is_named, 0,
			    sizeof(entries) / sizeof(entries[0]));
	tcase_add_loop_test(tcase, wrong_member_of_the_manifest_is_named, 0,
			    sizeof(members) / sizeof(members[0]));
	tcase_add_test(tcase, wrong_count_of_a_stream_is_named);
	tcase_add_test(tcase, gap_in_the_sequence_is_named);
	tcase_add_test(tcase, segments_listed_twice_or_in_disorder_are_named);
	tcase_add_test(tcase, manifest_cut_in_half_leaves_the_segments_readable);
	tcase_add_test(tcase, missing_manifest_is_made_anew);
	tcase_add_test(tcase, segment_lost_with_the_manifest_stays_missing);
	tcase_add_test(tcase, what_is_no_trace_is_refused_and_left_alone);
	tcase_add_loop_test(tcase, every_byte_of_a_manifest_may_be_wrong, 0, 3);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("verify: manifests");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, manifest_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
