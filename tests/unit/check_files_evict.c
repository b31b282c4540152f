/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model that keeps a few files in memory tells the same as one that keeps all of them,
 * whatever the rows are and whenever it is asked; errors of the disk are told.
 */
#include "analysis/files/files_evict.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/files/files_names.h"
#include "analysis/files/files_print.h"
#include "fixture/fixture_verify.h"
#include "row/effects.h"
#include "row/records.h"

static const struct files_view views[] = {
	{ .table = FILES_SUMS, .format = TABLE_CSV },
	{ .table = FILES_HISTOGRAMS, .format = TABLE_CSV },
	{ .table = FILES_ERRORS, .format = TABLE_CSV },
};
enum { N_VIEWS = sizeof(views) / sizeof(views[0]) };

static int dir_fd;

static void setup(void)
{
	fixture_verify_setup();
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(dir_fd, 0);
}

static void teardown(void)
{
	close(dir_fd);
	fixture_verify_teardown();
}

/* ---- rows ---- */

static uint64_t state;

static unsigned any(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

static struct files_text text(const char *s)
{
	return (struct files_text){ s, (uint32_t)strlen(s) };
}

/* Some of the paths are directories of others, and some would be if '/' were another byte. */
static const char *any_path(unsigned n_files)
{
	static const char *const forms[] = { "/d%u",     "/d%u/f",    "/d%u/f/deep", "/d%u-x",
					     "/d%u/f-x", "memfd:d%u", "/d%u/\xff",   "" };
	static char path[64];

	snprintf(path, sizeof(path), forms[any(sizeof(forms) / sizeof(forms[0]))], any(n_files));
	return path;
}

/* Of a few reads and writes in a row, or of anything. */
static void draw_row(struct files_row *row, uint64_t n, unsigned n_files)
{
	static const uint8_t ops[] = { IOT_READ,  IOT_WRITE, IOT_READ,   IOT_WRITE, IOT_OPEN,
				       IOT_CLOSE, IOT_FSYNC, IOT_SPLICE, IOT_CLOSE, IOT_GETATTR };
	static const char *const commands[] = { "dd", "cat", "sh", "tar", "rsync", "cp" };
	static const char *const calls[] = { "read", "pread64", "write", "writev", "fsync", "" };
	static int64_t offset;
	static char path[64];

	if (!any(4) || !path[0]) {
		strcpy(path, any_path(n_files));
		offset = any(3) * 4096;
	}
	*row = (struct files_row){ .mono_ns = n * 1000,
				   .latency = any(9) ? any(100000) : FILES_UNKNOWN,
				   .size = any(10000),
				   .inode = any(5) ? any(50) : 0,
				   .device = 1 + any(2),
				   .mntns = 1 + any(2),
				   .pid = any(4),
				   .fd = (int32_t)any(3),
				   .description = any(3) ? any(12) : FILES_UNKNOWN,
				   .path = text(path),
				   .command = text(commands[any(6)]),
				   .call = text(calls[any(6)]),
				   .op = ops[any(sizeof(ops))],
				   .offset = any(20) ? offset : -1,
				   .directory = !any(200),
				   .writes = any(2) };
	row->effects = (uint8_t)fs_effects(row->op, any(2) ? IOT_SPLICE_TO_FILE : 0);
	row->result = any(15) ? (int64_t)row->size : -(int64_t)(1 + any(40));
	if (row->result > 0 && any(8))
		offset += row->result;
	row->hash = files_row_hash(row);
}

/* ---- what is told ---- */

static char *told(const struct files_model *model, int view)
{
	const struct files_source source = { "", model, 1 };
	struct files_answer answer = { .by = FILES_BY_FILE };
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	ck_assert_int_eq(files_answer_make(&answer, &source, 1), 0);
	ck_assert_int_eq(files_print(file, &answer, &views[view], NULL, 0), 0);
	files_answer_free(&answer);
	fclose(file);
	return out;
}

static struct files_model whole, small;
static struct files_evict forget;

static bool next(void *arg, struct files_entry *entry)
{
	return files_evict_next(&forget, arg, entry);
}

static char *told_of_small(int view)
{
	struct files_answer answer = { .by = FILES_BY_FILE };
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	files_evict_rewind(&forget);
	ck_assert_int_eq(files_print_each(file, &answer, &views[view], next, &small), 0);
	fclose(file);
	return out;
}

static void same_is_told(void)
{
	ck_assert_ptr_nonnull(forget.shelf);
	ck_assert_int_eq(files_evict_all(&forget, &small), 0);
	files_show_runs(&whole, true);
	files_find_directories(&whole, 1);
	for (int i = 0; i < N_VIEWS; i++) {
		char *expected = told(&whole, i), *found = told_of_small(i);

		for (size_t at = 0; found[at] != expected[at] || found[at]; at++)
			ck_assert_msg(found[at] == expected[at],
				      "table %d differs at byte %zu: %.100s", i, at, found + at);
		ck_assert_int_eq(forget.err, 0);
		free(expected);
		free(found);
	}
	files_show_runs(&whole, false);
}

static void begin(uint64_t max_files)
{
	whole = (struct files_model){ .n_slots = 0 };
	small = (struct files_model){ .keeper = &forget.keeper };
	files_evict_open(&forget, dir_fd, "summary", max_files);
}

static void feed(uint64_t n, unsigned n_files)
{
	struct files_row row;

	draw_row(&row, n, n_files);
	files_feed(&whole, &row);
	files_feed(&small, &row);
}

static void end(void)
{
	ck_assert(!whole.no_memory && !small.no_memory);
	files_evict_close(&forget);
	files_free(&small);
	files_free(&whole);
}

START_TEST(the_same_is_told)
{
	static const uint64_t limits[] = { 1, 2, 7, 19, 40 };

	const unsigned n_files = _i < 5 ? 60 : 4;

	state = (uint64_t)_i + 1;
	begin(limits[_i % 5]);
	for (uint64_t n = 1; n <= 3000; n++) {
		feed(n, n_files);
		ck_assert_uint_le(small.n_files, forget.max_files + 1);
		if (n == 900 || n == 901 || n == 2000)
			same_is_told();
	}
	same_is_told();
	ck_assert_uint_gt(forget.n_written, 100);
	ck_assert_uint_gt(forget.n_back, 100);
	ck_assert_uint_gt(files_store_bytes(forget.shelf), 4096);
	end();
}
END_TEST

START_TEST(nobody_sees_the_shelf)
{
	begin(10);
	for (uint64_t n = 1; n <= 3000; n++)
		feed(n, 60);
	ck_assert_int_eq(unlinkat(dir_fd, "summary", AT_REMOVEDIR), 0);
	same_is_told();
	end();
}
END_TEST

/* The disk is full: what did not fit stays in memory, and is told once there is room. */
START_TEST(no_space)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/summary", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", path, "tmpfs", 0, "size=128k"))
		return;
	begin(200);
	for (uint64_t n = 1; n <= 8000; n++)
		feed(n, 600);
	ck_assert_int_eq(forget.full, -ENOSPC);
	ck_assert_int_eq(files_evict_all(&forget, &small), -ENOSPC);
	ck_assert_uint_gt(small.n_files, 400);
	ck_assert_int_eq(mount("none", path, "tmpfs", MS_REMOUNT, "size=64m"), 0);
	same_is_told();
	end();
}
END_TEST

START_TEST(no_place_for_it)
{
	begin(2);
	forget.folder = "missing/summary";
	for (uint64_t n = 1; n <= 500; n++)
		feed(n, 20);
	ck_assert_int_eq(forget.full, -ENOENT);
	ck_assert_uint_gt(small.n_files, 20);
	ck_assert_ptr_null(forget.shelf);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("files_evict");
	TCase *tc = tcase_create("forget");
	SRunner *runner;
	int failed;

#ifndef HAVE_SQLITE
	return 77; /* nothing is put on a shelf */
#endif
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, the_same_is_told, 0, 10);
	tcase_add_test(tc, nobody_sees_the_shelf);
	tcase_add_test(tc, no_space);
	tcase_add_test(tc, no_place_for_it);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
