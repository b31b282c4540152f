/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer verify` and --repair: directories are made by the real writer, then
 * each kind of damage is done to one of them, and the exit status and one
 * message tell.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "verify.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "manifest.h"
#include "session.h"
#include "write.h"

#define T0 1790000000123456789ull
#define MONO0 5000000000000ull

static char scratch[256];
static char dir[300];
static char said_path[300];

static void setup(void)
{
	setenv("TZ", "IST-5:30", 1);
	tzset();
	session_scratch(scratch, sizeof(scratch));
	snprintf(dir, sizeof(dir), "%s/out", scratch);
	snprintf(said_path, sizeof(said_path), "%s/said", scratch);
}

static void teardown(void)
{
	session_remove(scratch);
}

/* ---- sessions ---- */

static size_t make_row(char *row, enum stream_id stream, uint64_t real_ns, uint64_t mono_ns, unsigned i)
{
	char when[MANIFEST_TIME_SIZE];
	size_t at;

	manifest_time(real_ns, when);
	if (stream == STREAM_lost)
		return (size_t)sprintf(row, "%s,fs,%s,ring,2,%llu\n", when, i % 2 ? "" : "1",
				       (unsigned long long)mono_ns);
	at = (size_t)sprintf(row, "%s", when);
	for (unsigned c = 1; c < streams[stream].n_columns; c++)
		row[at++] = ',';
	return at + (size_t)sprintf(row + at, "%llu\n", (unsigned long long)mono_ns);
}

static void put(struct writer *w, enum stream_id stream, unsigned first, unsigned n)
{
	char row[512];

	for (unsigned i = first; i < first + n; i++) {
		size_t len = make_row(row, stream, T0 + i * 1000000ull, MONO0 + i * 1000000ull, i);

		write_row(w, stream, row, len, T0 + i * 1000000ull);
	}
}

/* What record tells of the session besides. */
static void add_members(struct writer *w, int64_t lost)
{
	json_t *members = json_pack("{s:[{s:I, s:I}], s:[{s:s, s:s, s:I}], s:{s:{}}}",
				    "clocks", "mono_ns", (json_int_t)MONO0, "real_ns", (json_int_t)T0,
				    "lost", "stream", "fs", "reason", "ring", "count", (json_int_t)lost,
				    "reader", "late");

	ck_assert(members != NULL);
	write_manifest_members(w, members);
	json_decref(members);
}

static struct writer *begin(enum write_compress compress)
{
	struct write_options options = { .dir = dir, .rotate_rows = 10, .compress = compress };
	struct writer *w;
	int err;

	w = write_open(&options, &err);
	ck_assert_msg(w != NULL, "%s", strerror(-err));
	return w;
}

/* fs: 25 rows in 3 segments, exec: 10 in 1, lost: 4 rows that tell of 8 events; ds: none */
static void make_session(enum write_compress compress)
{
	struct writer *w = begin(compress);

	write_stream(w, STREAM_ds);
	put(w, STREAM_fs, 0, 25);
	put(w, STREAM_exec, 0, 10);
	put(w, STREAM_lost, 0, 4);
	add_members(w, 8);
	ck_assert_int_eq(write_finish(w), 0);
}

/* Killed as by SIGKILL, with two rows of fs in a file that is still open. */
static void make_killed_session(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct writer *w = begin(WRITE_PLAIN);
		struct timespec t = { .tv_nsec = 20000000 };

		put(w, STREAM_fs, 0, 10);
		put(w, STREAM_exec, 0, 3);
		add_members(w, 0);
		write_rotate(w);
		put(w, STREAM_fs, 10, 12);
		/* until both closed segments are in the manifest, and the buffer in its file */
		for (int i = 0; i < 150; i++) {
			write_tick(w);
			nanosleep(&t, NULL);
		}
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}

/* The path below the directory of the stream's file with this number (1 the first), by its ending. */
static const char *file_of(const char *stream, unsigned number, const char *ending)
{
	static char path[600];
	char command[900];
	FILE *found;

	snprintf(command, sizeof(command), "cd %s && find %s -name '*_%04u%s'", dir, stream, number, ending);
	found = popen(command, "r");
	ck_assert(fgets(path, sizeof(path), found) != NULL);
	path[strcspn(path, "\n")] = '\0';
	pclose(found);
	return path;
}

/* ---- what it says ---- */

static char *said;

/* A new one each time: ext4 waits for the disk when a file is written over. */
static int open_said(void)
{
	unlink(said_path);
	return open(said_path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

/* Runs it with its messages and its result kept in said. */
static int verify(bool repair)
{
	int out = open_said();
	int old_out, old_err, result;

	fflush(stdout);
	old_out = dup(1);
	old_err = dup(2);
	dup2(out, 1);
	dup2(out, 2);
	result = verify_directory(dir, repair);
	fflush(stdout);
	dup2(old_out, 1);
	dup2(old_err, 2);
	close(old_out);
	close(old_err);
	close(out);
	free(said);
	said = session_read(scratch, "said", NULL);
	return result;
}

static void expect(bool repair, int result, const char *message)
{
	int got = verify(repair);

	ck_assert_msg(got == result, "status %d instead of %d: %s", got, result, said);
	ck_assert_msg(!message || strstr(said, message), "no '%s' in: %s", message, said);
}

/* One line that begins with the program's name */
static void expect_one(int result, const char *message)
{
	char *first;

	expect(false, result, message);
	first = strstr(said, "iotracer: ");
	ck_assert_msg(first && !strstr(first + 1, "iotracer: "), "not one message: %s", said);
}

static json_t *manifest(void)
{
	return session_json(dir, "manifest.json");
}

static void write_json(const char *name, json_t *json)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(json_dump_file(json, path, JSON_INDENT(2) | JSON_PRESERVE_ORDER), 0);
	json_decref(json);
}

static void flip(const char *name, long at)
{
	char path[900];
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r+");
	fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
	c = fgetc(file);
	fseek(file, -1, SEEK_CUR);
	fputc(c ^ 1, file);
	fclose(file);
}

static void shorten(const char *name, long by)
{
	char path[900];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - by), 0);
}

static void rename_in(const char *from, const char *to)
{
	char a[900], b[900];

	snprintf(a, sizeof(a), "%s/%s", dir, from);
	snprintf(b, sizeof(b), "%s/%s", dir, to);
	ck_assert_int_eq(rename(a, b), 0);
}

static void remove_in(const char *name)
{
	char path[900];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(remove(path), 0);
}

/* ---- whole ---- */

START_TEST(what_the_writer_made_is_whole)
{
	make_session(_i ? WRITE_GZ : WRITE_PLAIN);
	expect(false, VERIFY_WHOLE, "whole: 5 segments, 39 rows");
	ck_assert(strstr(said, "lost 8 of fs: ring") != NULL);
	ck_assert(strstr(said, "iotracer: ") == NULL);
	expect(true, VERIFY_WHOLE, "nothing is to be repaired");
}
END_TEST

START_TEST(session_without_rows_is_whole)
{
	struct writer *w = begin(WRITE_PLAIN);

	write_stream(w, STREAM_fs);
	ck_assert_int_eq(write_finish(w), 0);
	expect(false, VERIFY_WHOLE, "whole: 0 segments, 0 rows");
}
END_TEST

START_TEST(clock_set_back_by_an_hour_is_told_and_no_damage)
{
	const uint64_t hour = 3600000000000ull;
	struct writer *w = begin(WRITE_PLAIN);
	json_t *members;
	char row[512];

	/* the first of the new clock was formatted by the old one */
	for (unsigned i = 0; i < 25; i++) {
		uint64_t shown = T0 + i * 1000000ull - (i > 12 ? hour : 0);
		size_t len = make_row(row, STREAM_fs, shown, MONO0 + i * 1000000ull, i);

		write_row(w, STREAM_fs, row, len, T0 + i * 1000000ull - (i >= 12 ? hour : 0));
	}
	members = json_pack("{s:[{s:I, s:I}, {s:I, s:I}], s:{s:{}}}",
			    "clocks", "mono_ns", (json_int_t)MONO0, "real_ns", (json_int_t)T0,
			    "mono_ns", (json_int_t)(MONO0 + 12000000), "real_ns", (json_int_t)(T0 + 12000000 - hour),
			    "reader", "late");
	write_manifest_members(w, members);
	json_decref(members);
	ck_assert_int_eq(write_finish(w), 0);
	expect(false, VERIFY_WHOLE, "the wall clock was set back by 3600.000 s");
}
END_TEST

START_TEST(rows_that_could_not_be_written_are_told)
{
	json_t *m, *fs;

	make_session(WRITE_PLAIN);
	m = manifest();
	fs = session_stream(m, "fs");
	json_object_set_new(fs, "unwritable", json_integer(7));
	write_json("manifest.json", m);
	expect(false, VERIFY_WHOLE, "7 rows of fs could not be written");
}
END_TEST

/* ---- damage to files ---- */

START_TEST(flipped_byte_is_found_wherever_it_is)
{
	make_session(_i % 2 ? WRITE_GZ : WRITE_PLAIN);
	flip(file_of("fs", 2, _i % 2 ? ".csv.gz" : ".csv"), _i < 2 ? 1 : _i < 4 ? -1 : _i < 6 ? 200 : -40);
	expect(false, VERIFY_DAMAGED, "SHA-256");
	ck_assert(strstr(said, "_0002.csv") != NULL);
	ck_assert(strstr(said, "damaged: 5 segments") != NULL);
}
END_TEST

/* One that no row shows: the last digit of a time. */
START_TEST(flipped_byte_inside_a_cell_is_one_message)
{
	make_session(WRITE_PLAIN);
	flip(file_of("lost", 1, ".csv"), (long)schema_header(STREAM_lost, NULL, 0) + 25);
	expect_one(VERIFY_DAMAGED, "its bytes are not those that were written");
}
END_TEST

START_TEST(segment_without_its_end_is_found)
{
	make_session(_i ? WRITE_GZ : WRITE_PLAIN);
	shorten(file_of("exec", 1, _i ? ".csv.gz" : ".csv"), 5);
	expect(false, VERIFY_DAMAGED, _i ? "compressed bytes end" : "last row is not whole");
}
END_TEST

START_TEST(missing_segment_is_found)
{
	make_session(WRITE_PLAIN);
	remove_in(file_of("fs", 2, ".csv"));
	expect_one(VERIFY_DAMAGED, "_0002.csv: missing");
}
END_TEST

START_TEST(link_in_place_of_a_segment_is_found)
{
	char path[900];
	const char *file;

	make_session(WRITE_PLAIN);
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

	make_session(WRITE_PLAIN);
	strcpy(one, file_of("fs", 1, ".csv"));
	strcpy(two, file_of("fs", 2, ".csv"));
	rename_in(one, "x");
	rename_in(two, one);
	rename_in("x", two);
	expect(false, VERIFY_DAMAGED, "10 rows of fs are not in the order of mono_ns");
}
END_TEST

START_TEST(files_that_nobody_lists_are_told)
{
	make_session(WRITE_PLAIN);
	session_write(dir, "fs/notes.txt", "mine");
	expect(false, VERIFY_WHOLE, "fs/notes.txt: not written by iotracer");
	session_write(dir, "fs/fs_20260101_000000_000_0009.csv", "x");
	expect(false, VERIFY_DAMAGED, "_0009.csv: not in the manifest, and damaged");
}
END_TEST

/* ---- damage to the manifest ---- */

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
	{ "rows", "-1", "rows is no number" },
	{ "rows", "\"10\"", "rows is no number" },
	{ "rows", NULL, "rows is no number" },
	{ "bytes", "1", "bytes, the manifest says 1" },
	{ "csv_bytes", "1", "csv_bytes, the manifest says 1" },
	{ "sha256", "\"00\"", "the manifest says 00" },
	{ "sha256", "null", "the manifest says nothing" },
	{ "first", "\"2026-09-21 19:43:21.123456\"", "its first row is of 2026-09-21 19:43:20.123456" },
	{ "last", "\"2026-09-21 19:43:20.123456\"", "its last row is of" },
	{ "first", "\"yesterday\"", "first or first_ns is no time" },
	{ "last", "[]", "last or last_ns is no time" },
	{ "first_ns", "1790000001123456789", "first and first_ns are different times" },
	{ "last_ns", "{}", "last or last_ns is no time" },
	{ "compressed", "true", "compressed is wrong" },
	{ "file", "\"../out/fs/x.csv\"", "segment 1 of exec: its file is none" },
	{ "file", "\"/etc/passwd\"", "segment 1 of exec: its file is none" },
	{ "file", "\"manifest.json\"", "no name of a segment" },
	{ "file", "17", "segment 1 of exec: its file is none" },
};

START_TEST(wrong_member_of_a_segment_is_named)
{
	make_session(WRITE_PLAIN);
	break_entry("exec", entries[_i].name,
		    entries[_i].value ? json_loads(entries[_i].value, JSON_DECODE_ANY, NULL) : NULL);
	expect(false, VERIFY_DAMAGED, entries[_i].says);
}
END_TEST

static const struct {
	const char *name;
	const char *value;
	const char *says;
} members[] = {
	{ "streams", "3", "no list of streams" },
	{ "streams", "[1, {\"name\": \"fs\"}, {\"segments\": []}]", "a stream has no name or no list of segments" },
	{ "streams", "[{\"name\": \"fs\", \"segments\": []}]", "the counts of fs are none" },
	{ "state", "\"asleep\"", "its state is none: asleep" },
	{ "state", "\"recording\"", "it has an end, but its state is recording" },
	{ "started_ns", "null", "started_ns is no number" },
	{ "schema_version", "\"1\"", "its schema_version is none" },
	{ "schema_version", "99", "schema 99 of a newer iotracer" },
	{ "format", "\"csv\"", "written by another tool (format csv)" },
	{ "format", "null", "written by another tool (it has no format)" },
	{ "clocks", "[1]", "entry 0 of clocks is none" },
	{ "lost", "[{\"stream\": \"fs\"}]", "entry 0 of lost is none" },
	{ "lost", "[{\"stream\": \"fs\", \"reason\": \"ring\", \"count\": 9}]", "9 of fs are lost (ring), but" },
};

START_TEST(wrong_member_of_the_manifest_is_named)
{
	json_t *m;

	make_session(WRITE_PLAIN);
	m = manifest();
	json_object_set_new(m, members[_i].name, json_loads(members[_i].value, JSON_DECODE_ANY, NULL));
	write_json("manifest.json", m);
	expect(false, VERIFY_DAMAGED, members[_i].says);
}
END_TEST

START_TEST(wrong_count_of_a_stream_is_named)
{
	json_t *m;

	make_session(WRITE_PLAIN);
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

	make_session(WRITE_PLAIN);
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

	make_session(WRITE_PLAIN);
	m = manifest();
	segments = json_object_get(session_stream(m, "fs"), "segments");
	json_array_append(segments, json_array_get(segments, 0));
	write_json("manifest.json", m);
	expect(false, VERIFY_DAMAGED, "listed twice");
	ck_assert(strstr(said, "stands behind number 3") != NULL);
}
END_TEST

START_TEST(manifest_cut_in_half_leaves_the_segments_readable)
{
	char *text;
	size_t len;

	make_session(WRITE_PLAIN);
	text = session_read(dir, "manifest.json", &len);
	text[len / 2] = '\0';
	session_write(dir, "manifest.json", text);
	expect(false, VERIFY_DAMAGED, "manifest.json: damaged at line");
	ck_assert_msg(strstr(said, "damaged: 5 segments, 39 rows") != NULL, "%s", said);
	expect(true, VERIFY_WHOLE, "whole: 5 segments, 39 rows");
	ck_assert(strstr(said, "kept as manifest.json.damaged") != NULL);
	free(text);
	text = session_read(dir, "manifest.json.damaged", &len);
	ck_assert(text != NULL);
	free(text);
}
END_TEST

START_TEST(missing_manifest_is_made_anew)
{
	make_session(WRITE_GZ);
	remove_in("manifest.json");
	remove_in("datapackage.json");
	expect(false, VERIFY_DAMAGED, "manifest.json: missing");
	expect(true, VERIFY_WHOLE, "whole: 5 segments, 39 rows");
	ck_assert(strstr(said, "made anew") != NULL);
}
END_TEST

START_TEST(segment_lost_with_the_manifest_stays_missing)
{
	char last[600];

	make_session(WRITE_PLAIN);
	strcpy(last, file_of("fs", 3, ".csv"));
	remove_in(last);
	remove_in("manifest.json");
	expect(true, VERIFY_DAMAGED, "_0003.csv: missing");
	expect(false, VERIFY_DAMAGED, "_0003.csv: missing");
	expect(true, VERIFY_DAMAGED, "_0003.csv: missing");
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
	expect_one(VERIFY_DAMAGED, "this is no directory of iotracer record");
	session_write(dir, "manifest.json", "{\"schema_version\": 1, \"streams\": []}");
	expect_one(VERIFY_DAMAGED, "written by another tool");
	expect(true, VERIFY_DAMAGED, "written by another tool");
	text = session_read(dir, "manifest.json", NULL);
	ck_assert_str_eq(text, "{\"schema_version\": 1, \"streams\": []}");
	free(text);
	session_write(dir, "manifest.json", "[1, 2]");
	expect_one(VERIFY_DAMAGED, "written by another tool");
	session_write(dir, "manifest.json", "");
	expect_one(VERIFY_DAMAGED, "damaged at line 1");
	expect(true, VERIFY_DAMAGED, "damaged at line 1");
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

	make_session(WRITE_PLAIN);
	text = session_read(dir, "manifest.json", &len);
	entry = strstr(text, "\"rows\": 10,");
	entry_end = strstr(entry, "\"first\"");
	/* each in one of the ways: a gate has not all day */
	for (size_t i = (size_t)_i; i < len; i += sizeof(others)) {
		char was = text[i];

		text[i] = others[_i] == was ? was ^ 2 : others[_i];
		remove_in("manifest.json"); /* see open_said */
		session_write(dir, "manifest.json", text);
		result = verify(false);
		ck_assert_msg(result == VERIFY_WHOLE || result == VERIFY_DAMAGED || result == VERIFY_UNFINISHED,
			      "byte %zu: %d", i, result);
		if (text + i >= entry && text + i < entry_end)
			ck_assert_msg(result == VERIFY_DAMAGED || strchr(" \n", was), "byte %zu: %.40s", i, text + i);
		text[i] = was;
	}
	free(text);
}
END_TEST

/* ---- the data package ---- */

START_TEST(package_is_held_against_the_segments)
{
	json_t *p, *r, *field;

	make_session(WRITE_PLAIN);
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
	struct writer *w = begin(WRITE_PLAIN);
	json_t *account = json_pack("{s:{s:{s:i, s:{s:i, s:I}}}}", "snapshots", "process", "kept", 1, "last",
				    "rows", 10, "started_ns", (json_int_t)T0);
	char *text;

	put(w, STREAM_process, 0, 10);
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
		"whole: 1 segments, 10 rows", "process_snap.csv: its bytes are not those of the newest snapshot",
		"process_snap.csv: its last row is not whole", "process_snap.csv: missing",
		"process_snap.csv: 10 rows, the manifest says 11", "rows of the last snapshot of process are no number",
		"filesystem_snap.csv.gz: its compressed bytes end in the middle",
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
		expect(false, VERIFY_WHOLE, messages[_i]);
}
END_TEST

/* ---- killed runs ---- */

START_TEST(killed_run_is_unfinished_and_closed)
{
	json_t *m, *fs;

	make_killed_session();
	expect(false, VERIFY_UNFINISHED, "the tracer was killed");
	ck_assert(strstr(said, ".part: still open") != NULL);
	expect(true, VERIFY_WHOLE, "closed with");
	ck_assert_uint_eq(session_count(dir, "fs", ".part", true), 0);
	ck_assert_uint_eq(session_count(dir, ".", "", true), 0); /* the reserve is gone */
	m = manifest();
	ck_assert_str_eq(json_string_value(json_object_get(m, "state")), "stopped");
	fs = session_stream(m, "fs");
	ck_assert_int_eq(session_int(fs, "rows"), 22);
	ck_assert_uint_eq(session_verify(dir, m), 25);
	/* its times are those that the tracer would have entered */
	fs = json_array_get(json_object_get(fs, "segments"), 2);
	ck_assert_int_eq(session_int(fs, "first_ns"), (int64_t)(T0 + 20 * 1000000ull));
	ck_assert_int_eq(session_int(fs, "last_ns"), (int64_t)(T0 + 21 * 1000000ull));
	json_decref(m);
	expect(false, VERIFY_WHOLE, "whole: 4 segments, 25 rows");
}
END_TEST

/* dir becomes another copy of what it was at first. */
static void copy_again(const char *from, unsigned n)
{
	char command[900];

	snprintf(dir, sizeof(dir), "%s/copy%u", scratch, n);
	snprintf(command, sizeof(command), "cp -a %s %s", from, dir);
	ck_assert_int_eq(system(command), 0);
}

/* The two rows that were open, cut at any byte: those that are whole stay. */
START_TEST(part_ends_with_its_last_complete_row)
{
	char from[300], part[600], *text;
	size_t len, header, first;
	json_t *m;

	make_killed_session();
	strcpy(from, dir);
	strcpy(part, file_of("fs", 3, ".csv.part"));
	text = session_read(dir, part, &len);
	header = (size_t)(strchr(text, '\n') + 1 - text);
	first = (size_t)(strchr(text + header, '\n') + 1 - text);
	for (size_t left = 0; left <= len; left += left + 1 < header ? header / 2 : left + 9 < len ? 7 : 1) {
		copy_again(from, (unsigned)left);
		shorten(part, (long)(len - left));
		expect(true, VERIFY_WHOLE, NULL);
		m = manifest();
		ck_assert_int_eq(session_int(session_stream(m, "fs"), "rows"), 20 + (left == len) + (left >= first));
		ck_assert_uint_eq(session_count(dir, "fs", ".part", true), 0);
		ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), left >= first ? 3 : 2);
		json_decref(m);
		session_remove(dir);
	}
	free(text);
}
END_TEST

START_TEST(part_with_a_damaged_row_inside_stays)
{
	char part[600], *text;
	size_t len;

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	text = session_read(dir, part, &len);
	*strchr(strchr(text, '\n') + 1, ',') = '.';
	session_write(dir, part, text);
	expect(false, VERIFY_DAMAGED, "still open, and damaged: row 1: ");
	expect(true, VERIFY_DAMAGED, "stays as it is: row 1: ");
	expect(false, VERIFY_DAMAGED, "still open, and damaged: row 1: ");
	ck_assert(session_exists(dir, part));
	free(text);
}
END_TEST

START_TEST(part_whose_copy_is_there_is_removed)
{
	char part[600], copy[600], command[2000];

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	snprintf(command, sizeof(command), "cd %s && f=%s && g=${f#fs/.} && gzip -c $f > fs/%s${g%%.part}.gz%s", dir,
		 part, _i ? "." : "", _i ? ".part" : "");
	ck_assert_int_eq(system(command), 0);
	strcpy(copy, file_of("fs", 3, _i ? ".csv.gz.part" : ".csv.gz"));
	expect(true, VERIFY_WHOLE, _i ? "a copy that was under way" : "its compressed copy is whole");
	ck_assert(session_exists(dir, copy) == !_i);
	ck_assert(!session_exists(dir, part));
	expect(false, VERIFY_WHOLE, "whole: 4 segments, 25 rows");
}
END_TEST

START_TEST(segment_that_the_manifest_missed_is_entered)
{
	json_t *m;

	make_session(WRITE_PLAIN);
	m = manifest();
	json_array_remove(json_object_get(session_stream(m, "fs"), "segments"), 1);
	write_json("manifest.json", m);
	expect(false, VERIFY_DAMAGED, "not in the manifest; its 10 rows are whole");
	expect(true, VERIFY_WHOLE, "entered into the manifest with 10 rows");
	m = manifest();
	ck_assert_uint_eq(session_verify(dir, m), 39);
	json_decref(m);
}
END_TEST

START_TEST(evicted_just_before_the_end_is_no_loss_of_repair)
{
	json_t *m, *fs;

	make_killed_session();
	m = manifest();
	json_object_set_new(json_object_get(m, "options"), "max_disk", json_integer(1 << 20));
	write_json("manifest.json", m);
	remove_in(file_of("fs", 1, ".csv"));
	expect(true, VERIFY_WHOLE, "1 segments of fs, 10 rows, were removed to keep to --max-disk");
	m = manifest();
	fs = session_stream(m, "fs");
	ck_assert_int_eq(session_int(fs, "evicted_rows"), 10);
	ck_assert_int_eq(session_int(fs, "rows"), 12);
	json_decref(m);
}
END_TEST

/* Late rows and losses of its last seconds are not in the account of a killed run. */
START_TEST(account_of_a_killed_run_may_be_older_than_its_rows)
{
	struct writer *w;
	char row[512];
	pid_t pid = fork();
	int status;

	if (!pid) {
		w = begin(WRITE_PLAIN);
		put(w, STREAM_fs, 5, 5);
		put(w, STREAM_fs, 0, 5); /* late */
		add_members(w, 100);
		write_rotate(w);
		write_row(w, STREAM_lost, row, make_row(row, STREAM_lost, T0, MONO0, 0), T0);
		write_rotate(w);
		sleep(3);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	expect(true, VERIFY_WHOLE, "lost 100 of fs: ring");
}
END_TEST

START_TEST(directory_in_use_is_not_repaired)
{
	struct writer *w = begin(WRITE_PLAIN);
	char *before, *after;

	put(w, STREAM_fs, 0, 5);
	before = session_read(dir, "manifest.json", NULL);
	expect(false, VERIFY_UNFINISHED, "a tracer is recording at this moment");
	expect(true, VERIFY_DAMAGED, "not repaired: a tracer is recording");
	after = session_read(dir, "manifest.json", NULL);
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
	ck_assert_int_eq(write_finish(w), 0);
	expect(false, VERIFY_WHOLE, "5 rows");
}
END_TEST

/* ---- the command ---- */

static int command(char *a, char *b, char *c)
{
	char name[] = "verify";
	char *argv[] = { name, a, b, c, NULL };
	int out = open_said();
	int old_out, old_err, status;

	fflush(stdout);
	old_out = dup(1);
	old_err = dup(2);
	dup2(out, 1);
	dup2(out, 2);
	status = verify_command(1 + !!a + !!b + !!c, argv);
	fflush(stdout);
	dup2(old_out, 1);
	dup2(old_err, 2);
	close(old_out);
	close(old_err);
	close(out);
	free(said);
	said = session_read(scratch, "said", NULL);
	return status;
}

START_TEST(command_line_is_judged)
{
	char help[] = "--help", wrong[] = "--wrong", quiet[] = "-q", repair[] = "--repair", none[] = "/nowhere";

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

static void add_damage(TCase *tcase)
{
	tcase_add_loop_test(tcase, flipped_byte_is_found_wherever_it_is, 0, 8);
	tcase_add_test(tcase, flipped_byte_inside_a_cell_is_one_message);
	tcase_add_loop_test(tcase, segment_without_its_end_is_found, 0, 2);
	tcase_add_test(tcase, missing_segment_is_found);
	tcase_add_test(tcase, link_in_place_of_a_segment_is_found);
	tcase_add_test(tcase, exchanged_segments_are_found);
	tcase_add_test(tcase, files_that_nobody_lists_are_told);
	tcase_add_loop_test(tcase, wrong_member_of_a_segment_is_named, 0, sizeof(entries) / sizeof(entries[0]));
	tcase_add_loop_test(tcase, wrong_member_of_the_manifest_is_named, 0, sizeof(members) / sizeof(members[0]));
	tcase_add_test(tcase, wrong_count_of_a_stream_is_named);
	tcase_add_test(tcase, gap_in_the_sequence_is_named);
	tcase_add_test(tcase, segments_listed_twice_or_in_disorder_are_named);
	tcase_add_test(tcase, manifest_cut_in_half_leaves_the_segments_readable);
	tcase_add_test(tcase, missing_manifest_is_made_anew);
	tcase_add_test(tcase, segment_lost_with_the_manifest_stays_missing);
	tcase_add_test(tcase, what_is_no_trace_is_refused_and_left_alone);
	tcase_add_loop_test(tcase, every_byte_of_a_manifest_may_be_wrong, 0, 3);
	tcase_add_loop_test(tcase, package_is_held_against_the_segments, 0, 8);
	tcase_add_loop_test(tcase, newest_snapshot_is_held_against_the_manifest, 0, 7);
}

static Suite *verify_suite(void)
{
	Suite *suite = suite_create("verify");
	TCase *whole = tcase_create("whole"), *damage = tcase_create("damage"), *repair = tcase_create("repair");

	tcase_add_checked_fixture(whole, setup, teardown);
	tcase_add_loop_test(whole, what_the_writer_made_is_whole, 0, 2);
	tcase_add_test(whole, session_without_rows_is_whole);
	tcase_add_test(whole, clock_set_back_by_an_hour_is_told_and_no_damage);
	tcase_add_test(whole, rows_that_could_not_be_written_are_told);
	suite_add_tcase(suite, whole);
	tcase_add_checked_fixture(damage, setup, teardown);
	tcase_set_timeout(damage, 300);
	add_damage(damage);
	suite_add_tcase(suite, damage);
	tcase_add_checked_fixture(repair, setup, teardown);
	tcase_set_timeout(repair, 300);
	tcase_add_test(repair, killed_run_is_unfinished_and_closed);
	tcase_add_test(repair, part_ends_with_its_last_complete_row);
	tcase_add_test(repair, part_with_a_damaged_row_inside_stays);
	tcase_add_loop_test(repair, part_whose_copy_is_there_is_removed, 0, 2);
	tcase_add_test(repair, segment_that_the_manifest_missed_is_entered);
	tcase_add_test(repair, evicted_just_before_the_end_is_no_loss_of_repair);
	tcase_add_test(repair, account_of_a_killed_run_may_be_older_than_its_rows);
	tcase_add_test(repair, directory_in_use_is_not_repaired);
	tcase_add_test(repair, command_line_is_judged);
	suite_add_tcase(suite, repair);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(verify_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
