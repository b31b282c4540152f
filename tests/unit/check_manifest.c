/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest.json and datapackage.json, parsed again: their members, their
 * validity as a Data Package, what eviction leaves, and times.
 */
#include "write/manifest.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture/session.h"

#define T0 1790000000123456789ull

static char scratch[256];
static int dir_fd;
static struct manifest *manifest;

static void setup(void)
{
	struct write_options options = {
		.dir = "not told", .rotate_size = 1000, .packing = PACKING_GZ, .min_free = 77
	};

	setenv("TZ", "IST-5:30", 1);
	tzset();
	session_scratch(scratch, sizeof(scratch));
	dir_fd = open(scratch, O_RDONLY | O_DIRECTORY);
	manifest = manifest_new(&options);
	ck_assert(manifest != NULL);
}

static void teardown(void)
{
	manifest_free(manifest);
	close(dir_fd);
	session_remove(scratch);
}

static void add(enum stream_id stream, unsigned number, uint64_t rows, bool compressed)
{
	struct manifest_segment segment = {
		.stream = stream,
		.rows = rows,
		.bytes = 10,
		.csv_bytes = 20,
		.first_ns = T0,
		.last_ns = T0 + 1000000000,
		.compressed = compressed,
		.sha256 = "ab",
	};

	snprintf(segment.file, sizeof(segment.file), "%s/%u.csv%s", streams[stream].name, number,
		 compressed ? ".gz" : "");
	manifest_add(manifest, &segment);
}

static json_t *written(const char *name)
{
	uint64_t n_bytes = 0;

	ck_assert_int_eq(manifest_write(manifest, dir_fd, &n_bytes), 0);
	ck_assert_uint_gt(n_bytes, 100);
	return session_json(scratch, name);
}

static const char *text(json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));

	return value ? value : "(none)";
}

START_TEST(new_manifest_says_what_and_how)
{
	json_t *m = written("manifest.json");

	ck_assert_str_eq(text(m, "format"), "iotracer");
	ck_assert_str_eq(text(m, "state"), "recording");
	ck_assert_str_eq(text(json_object_get(m, "tool"), "name"), "iotracer");
	ck_assert(json_object_get(m, "ended") == NULL);
	ck_assert(json_object_get(m, "reason") == NULL);
	ck_assert_int_gt(session_int(m, "started_ns"), 1500000000000000000);
	ck_assert_str_eq(text(json_object_get(m, "options"), "compress"), "gz");
	ck_assert_int_eq(session_int(json_object_get(m, "options"), "min_free"), 77);
	ck_assert_int_eq(session_int(json_object_get(m, "options"), "rotate_size"), 1000);
	ck_assert_uint_eq(json_array_size(json_object_get(m, "streams")), 0);
	json_decref(m);
}
END_TEST

START_TEST(times_are_local_and_exact)
{
	char t[MANIFEST_TIME_SIZE];

	manifest_time(T0, t);
	ck_assert_str_eq(t, "2026-09-21 19:43:20.123456");
	manifest_time_rfc3339(T0, t);
	ck_assert_str_eq(t, "2026-09-21T19:43:20.123456789+05:30");
	setenv("TZ", "West3:30", 1);
	tzset();
	manifest_time_rfc3339(1790000000000000000ull, t);
	ck_assert_str_eq(t, "2026-09-21T10:43:20.000000000-03:30");
	manifest_time(1790000000000000000ull, t);
	ck_assert_str_eq(t, "2026-09-21 10:43:20.000000");
}
END_TEST

START_TEST(segments_are_listed_with_their_times)
{
	struct manifest_counts counts = { .rows = { [STREAM_fs] = 12 },
					  .unwritable = { [STREAM_fs] = 3 } };
	json_t *m, *fs, *segment;

	counts.on[STREAM_lost] = true;
	manifest_counts(manifest, &counts);
	add(STREAM_fs, 1, 5, true);
	add(STREAM_fs, 2, 7, true);
	m = written("manifest.json");
	fs = session_stream(m, "fs");
	ck_assert_int_eq(session_int(fs, "rows"), 12);
	ck_assert_int_eq(session_int(fs, "unwritable"), 3);
	segment = json_array_get(json_object_get(fs, "segments"), 1);
	ck_assert_str_eq(text(segment, "file"), "fs/2.csv.gz");
	ck_assert_str_eq(text(segment, "first"), "2026-09-21 19:43:20.123456");
	ck_assert_str_eq(text(segment, "last"), "2026-09-21 19:43:21.123456");
	ck_assert_int_eq(session_int(segment, "last_ns"), (int64_t)(T0 + 1000000000));
	ck_assert_int_eq(session_int(segment, "bytes"), 10);
	ck_assert_int_eq(session_int(segment, "csv_bytes"), 20);
	ck_assert_str_eq(text(segment, "sha256"), "ab");
	ck_assert(json_is_true(json_object_get(segment, "compressed")));
	ck_assert_int_eq(session_int(session_stream(m, "lost"), "rows"), 0);
	ck_assert(session_stream(m, "ds") == NULL);
	json_decref(m);
}
END_TEST

START_TEST(evicted_segments_move_and_stay_few)
{
	struct manifest_counts counts = { .rows = { [STREAM_ds] = 3 * 1000 } };
	json_t *m, *ds, *evicted;

	manifest_counts(manifest, &counts);
	manifest_evict(manifest, STREAM_fs); /* there is none: no harm */
	for (unsigned i = 0; i < 1000; i++)
		add(STREAM_ds, i, 3, false);
	for (unsigned i = 0; i < 900; i++)
		manifest_evict(manifest, STREAM_ds);
	m = written("manifest.json");
	ds = session_stream(m, "ds");
	ck_assert_int_eq(session_int(ds, "rows"), 300);
	ck_assert_int_eq(session_int(ds, "evicted_rows"), 2700);
	ck_assert_int_eq(session_int(ds, "evicted_segments"), 900);
	ck_assert_uint_eq(json_array_size(json_object_get(ds, "segments")), 100);
	ck_assert_uint_eq(json_array_size(json_object_get(ds, "evicted")), MANIFEST_MAX_EVICTED);
	evicted = json_array_get(json_object_get(ds, "evicted"), MANIFEST_MAX_EVICTED - 1);
	ck_assert_str_eq(text(evicted, "file"), "ds/899.csv");
	ck_assert_int_eq(session_int(evicted, "rows"), 3);
	ck_assert_int_eq(session_int(evicted, "first_ns"), (int64_t)T0);
	ck_assert(json_object_get(evicted, "sha256") == NULL);
	json_decref(m);
}
END_TEST

START_TEST(segment_evicted_early_is_listed_as_such)
{
	struct manifest_counts counts = { .rows = { [STREAM_ds] = 9 } };
	struct manifest_segment early = {
		.stream = STREAM_ds, .file = "ds/9.csv", .rows = 4, .first_ns = T0, .last_ns = T0
	};
	json_t *m, *ds;

	manifest_counts(manifest, &counts);
	add(STREAM_ds, 1, 5, false);
	manifest_add_evicted(manifest, &early);
	m = written("manifest.json");
	ds = session_stream(m, "ds");
	ck_assert_int_eq(session_int(ds, "rows"), 5);
	ck_assert_int_eq(session_int(ds, "evicted_rows"), 4);
	ck_assert_uint_eq(json_array_size(json_object_get(ds, "segments")), 1);
	ck_assert_str_eq(text(json_array_get(json_object_get(ds, "evicted"), 0), "file"),
			 "ds/9.csv");
	json_decref(m);
}
END_TEST

START_TEST(members_go_over_the_top_level)
{
	json_t *members = json_pack("{s:s, s:s}", "host", "a", "format", "other");
	json_t *m;

	manifest_members(manifest, members);
	json_decref(members);
	members = json_pack("{s:s, s:i}", "host", "b", "cpus", 2);
	manifest_members(manifest, members);
	json_decref(members);
	m = written("manifest.json");
	ck_assert_str_eq(text(m, "host"), "b");
	ck_assert_int_eq(session_int(m, "cpus"), 2);
	ck_assert_str_eq(text(m, "format"), "other");
	json_decref(m);
}
END_TEST

START_TEST(end_and_reason_are_kept)
{
	json_t *m;

	manifest_state(manifest, "stopped", "/tmp/\xff\xfe: full", false);
	m = written("manifest.json");
	ck_assert_str_eq(text(m, "state"), "stopped");
	ck_assert_str_eq(text(m, "reason"), "/tmp/??: full");
	ck_assert(json_object_get(m, "ended") == NULL);
	json_decref(m);
	manifest_state(manifest, "complete", NULL, true);
	m = written("manifest.json");
	ck_assert_str_eq(text(m, "state"), "complete");
	ck_assert(json_object_get(m, "reason") == NULL);
	ck_assert(strlen(text(m, "ended")) == strlen("2026-09-21T19:43:20.123456789+05:30"));
	json_decref(m);
}
END_TEST

static void check_resource(json_t *r)
{
	static const char *const types[] = { "datetime", "string", "integer", "number" };
	json_t *fields = json_object_get(json_object_get(r, "schema"), "fields");
	json_t *dialect = json_object_get(r, "dialect");
	json_t *field;
	size_t i;

	ck_assert_str_eq(text(r, "profile"), "tabular-data-resource");
	ck_assert_str_eq(text(r, "format"), "csv");
	ck_assert_str_eq(text(r, "encoding"), "utf-8");
	ck_assert(json_is_true(json_object_get(dialect, "header")));
	ck_assert(json_is_true(json_object_get(dialect, "doubleQuote")));
	ck_assert_str_eq(text(dialect, "delimiter"), ",");
	ck_assert_str_eq(text(dialect, "lineTerminator"), "\n");
	ck_assert_uint_gt(json_array_size(fields), 3);
	json_array_foreach(fields, i, field)
	{
		bool known = false;

		for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
			known = known || !strcmp(text(field, "type"), types[t]);
		ck_assert_msg(known, "%s: type %s", text(field, "name"), text(field, "type"));
	}
	ck_assert_str_eq(text(json_array_get(fields, 0), "format"), "%Y-%m-%d %H:%M:%S.%f");
}

START_TEST(package_has_a_resource_per_stream_with_rows)
{
	json_t *p, *resources, *r;
	size_t i;

	json_decref(written("manifest.json"));
	ck_assert(!session_exists(scratch, "datapackage.json"));
	add(STREAM_ds, 1, 3, false);
	add(STREAM_fs, 1, 3, true);
	add(STREAM_fs, 2, 3, false); /* compression fell behind */
	add(STREAM_fs, 3, 3, true);
	p = written("datapackage.json");
	ck_assert_str_eq(text(p, "profile"), "tabular-data-package");
	resources = json_object_get(p, "resources");
	ck_assert_uint_eq(json_array_size(resources), 3);
	json_array_foreach(resources, i, r) check_resource(r);
	r = json_array_get(resources, 0);
	ck_assert_str_eq(text(r, "name"), "fs");
	ck_assert_str_eq(text(r, "compression"), "gz");
	ck_assert_uint_eq(json_array_size(json_object_get(r, "path")), 2);
	r = json_array_get(resources, 1);
	ck_assert_str_eq(text(r, "name"), "fs_plain");
	ck_assert(json_object_get(r, "compression") == NULL);
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(r, "path"), 0)),
			 "fs/2.csv");
	ck_assert_str_eq(text(json_array_get(resources, 2), "name"), "ds");
	json_decref(p);

	/* the last segment went: so does the package, which may not be empty */
	for (int n = 0; n < 3; n++)
		manifest_evict(manifest, STREAM_fs);
	manifest_evict(manifest, STREAM_ds);
	json_decref(written("manifest.json"));
	ck_assert(!session_exists(scratch, "datapackage.json"));
}
END_TEST

START_TEST(failed_write_leaves_the_old_one)
{
	uint64_t n_bytes;
	int fd;

	json_decref(written("manifest.json"));
	fd = open("/proc/self", O_RDONLY | O_DIRECTORY); /* nothing can be made there */
	ck_assert_int_lt(manifest_write(manifest, fd, &n_bytes), 0);
	close(fd);
	json_decref(session_json(scratch, "manifest.json"));
	ck_assert_uint_eq(session_count(scratch, ".", ".part", true), 0);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* which ends the program where there is no memory */
static unsigned n_taken, last_taken;
static json_malloc_t take;

static void *take_until_the_last(size_t size)
{
	return take(n_taken++ < last_taken ? size : SIZE_MAX / 2);
}

/* _i: how much memory there is; what was written before stays. */
START_TEST(manifest_that_lacks_memory_is_not_written)
{
	uint64_t n_bytes;
	json_free_t give;
	json_t *m;

	add(STREAM_fs, 1, 5, false);
	json_decref(written("manifest.json"));
	add(STREAM_fs, 2, 5, false);
	json_get_alloc_funcs(&take, &give);
	last_taken = (unsigned)_i * 37;
	json_set_alloc_funcs(take_until_the_last, give);
	ck_assert_int_eq(manifest_write(manifest, dir_fd, &n_bytes), -ENOMEM);
	json_set_alloc_funcs(take, give);
	m = session_json(scratch, "datapackage.json");
	ck_assert_uint_eq(json_array_size(json_object_get(
				  json_array_get(json_object_get(m, "resources"), 0), "path")),
			  1);
	json_decref(m);
}
END_TEST
#endif

static Suite *manifest_suite(void)
{
	Suite *suite = suite_create("manifest");
	TCase *tcase = tcase_create("manifest");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, new_manifest_says_what_and_how);
	tcase_add_test(tcase, times_are_local_and_exact);
	tcase_add_test(tcase, segments_are_listed_with_their_times);
	tcase_add_test(tcase, evicted_segments_move_and_stay_few);
	tcase_add_test(tcase, segment_evicted_early_is_listed_as_such);
	tcase_add_test(tcase, members_go_over_the_top_level);
	tcase_add_test(tcase, end_and_reason_are_kept);
	tcase_add_test(tcase, package_has_a_resource_per_stream_with_rows);
	tcase_add_test(tcase, failed_write_leaves_the_old_one);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_loop_test(tcase, manifest_that_lacks_memory_is_not_written, 0, 10);
#endif
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(manifest_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
