/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loop devices of a made-up /sys/block, whose files are there. */
#include "resolve/loops.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fixture/host_fixture.h"

#define DEV(major, minor) ((uint32_t)(major) << 20 | (minor))

static char *dir;
static char sys_block[PATH_MAX], image[PATH_MAX];
static struct disks disks;
static struct mounts mounts;
static struct loops loops;
static const struct loops_host host = { .disks = &disks, .mounts = &mounts };
static uint32_t on;  /* the file system of the files */
static uint64_t ino; /* of one */

static void write_device(const char *name, const char *dev)
{
	char path[300];

	snprintf(path, sizeof(path), "block/%s/dev", name);
	fixture_write(dir, path, dev);
}

static void setup(void)
{
	char dev[40], line[PATH_MAX + 2];
	struct stat st;

	dir = fixture_make();
	snprintf(sys_block, sizeof(sys_block), "%.4000s/block", dir);
	fixture_write(dir, "image", "x");
	snprintf(image, sizeof(image), "%.4000s/image", dir);
	ck_assert_int_eq(stat(image, &st), 0);
	on = DEV(major(st.st_dev), minor(st.st_dev));
	ino = st.st_ino;
	write_device("loop0", "7:0\n");
	write_device("loop0/loop0p1", "259:7\n");
	write_device("loop1", "7:1\n");
	fixture_write(dir, "block/loop1/loop/backing_file", "/nonexistent/file\n");
	write_device("loop2", "7:2\n");
	snprintf(dev, sizeof(dev), "%u:%u\n", major(st.st_dev), minor(st.st_dev));
	write_device("sdz", "8:400\n");
	write_device("sdz/sdz1", dev);
	snprintf(line, sizeof(line), "%s\n", image);
	fixture_write(dir, "block/loop0/loop/backing_file", line);
	disks_open(&disks, sys_block);
	loops = (struct loops){ .root = sys_block };
	loops_look(&loops, &host, 0);
}

static void teardown(void)
{
	loops_close(&loops);
	disks_close(&disks);
	fixture_remove(dir);
}

START_TEST(one_with_a_file_is_known)
{
	ck_assert_uint_eq(loops.n, 1);
	ck_assert(loops_has(&loops, DEV(7, 0)));
	ck_assert(!loops_has(&loops, DEV(7, 1)));
	ck_assert(!loops_has(&loops, DEV(7, 2)));
	ck_assert(loops_has_file(&loops, ino, on));
	ck_assert(!loops_has_file(&loops, ino, on + 1));
	ck_assert(!loops_has_file(&loops, ino + 1, on));
	ck_assert(!loops_has_file(&loops, 0, 0));
}
END_TEST

START_TEST(its_disk_is_below_it)
{
	ck_assert(loops_is_below(&loops, &disks, DEV(7, 0), DEV(8, 400)));
	ck_assert(loops_is_below(&loops, &disks, DEV(259, 7), DEV(8, 400)));
	/* neither itself, nor another disk, nor what is no loop device */
	ck_assert(!loops_is_below(&loops, &disks, DEV(7, 0), DEV(7, 0)));
	ck_assert(!loops_is_below(&loops, &disks, DEV(259, 7), DEV(7, 0)));
	ck_assert(!loops_is_below(&loops, &disks, DEV(7, 0), DEV(8, 16)));
	ck_assert(!loops_is_below(&loops, &disks, on, DEV(8, 400)));
}
END_TEST

/* The device mapper on a partition of it; md on another disk */
START_TEST(what_passes_requests_on_is_on_it)
{
	write_device("dm-3", "253:3\n");
	write_device("dm-3/slaves/loop0p1", "259:7\n");
	write_device("md9", "9:9\n");
	write_device("md9/slaves/sdz", "8:400\n");
	loops_look(&loops, &host, 0);
	ck_assert_uint_eq(loops.n, 2);
	ck_assert(loops_is_below(&loops, &disks, DEV(253, 3), DEV(8, 400)));
	ck_assert(!loops_is_below(&loops, &disks, DEV(253, 3), DEV(7, 0)));
	ck_assert(!loops_is_below(&loops, &disks, DEV(9, 9), DEV(8, 400)));
}
END_TEST

/* The file stays. */
static void detach(void)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.4000s/block/loop0/loop/backing_file", dir);
	unlink(name);
	loops_look(&loops, &host, 0);
	ck_assert(loops_has_file(&loops, ino, on));
}

/* Its requests may be on the way to us. */
START_TEST(one_that_was_detached_is_known_for_a_while)
{
	detach();
	loops.list[0].seen_ns -= 3600000000000ull;
	loops_look(&loops, &host, 0);
	ck_assert(!loops_has(&loops, DEV(7, 0)));
	ck_assert(!loops_has_file(&loops, ino, on));
	loops_fill(&loops, -1);
	ck_assert_uint_eq(loops.n, 0);
}
END_TEST

/* XFS gives the number of its inode to the next file. */
START_TEST(a_file_that_is_removed_is_none_of_a_detached_one)
{
	char name[PATH_MAX];

	detach();
	ck_assert_int_eq(unlink(image), 0);
	/* the same whether the path is free or has a file of its own */
	if (_i) {
		fixture_write(dir, "other", "x");
		snprintf(name, sizeof(name), "%.4000s/other", dir);
		ck_assert_int_eq(rename(name, image), 0);
	}
	loops_look(&loops, &host, 0);
	ck_assert(!loops_has_file(&loops, ino, on));
	loops_fill(&loops, -1);
	ck_assert_uint_eq(loops.n, 0);
}
END_TEST

START_TEST(one_whose_file_was_renamed_is_known_for_a_while)
{
	char name[PATH_MAX], line[PATH_MAX + 2];

	snprintf(name, sizeof(name), "%.4000s/renamed", dir);
	ck_assert_int_eq(rename(image, name), 0);
	snprintf(line, sizeof(line), "%.4000s/renamed\n", dir);
	fixture_write(dir, "block/loop0/loop/backing_file", line);
	loops_look(&loops, &host, 0);
	detach();
	ck_assert_uint_eq(loops.n, 1);
}
END_TEST

START_TEST(one_whose_file_is_removed_goes_on)
{
	char line[PATH_MAX];

	ck_assert_int_eq(unlink(image), 0);
	snprintf(line, sizeof(line), "%.4000s (deleted)\n", image);
	fixture_write(dir, "block/loop0/loop/backing_file", line);
	loops.list[0].seen_ns -= 3600000000000ull;
	loops_look(&loops, &host, 0);
	ck_assert(loops_has_file(&loops, ino, on));
	ck_assert(loops_has(&loops, DEV(7, 0)));
}
END_TEST

START_TEST(one_that_gets_another_file_has_both_for_a_while)
{
	char line[PATH_MAX];
	struct stat st;

	fixture_write(dir, "second", "x");
	snprintf(line, sizeof(line), "%.4000s/second", dir);
	ck_assert_int_eq(stat(line, &st), 0);
	snprintf(line, sizeof(line), "%.4000s/second\n", dir);
	fixture_write(dir, "block/loop0/loop/backing_file", line);
	loops_look(&loops, &host, 3600000000000ull);
	ck_assert(!loops_has_file(&loops, st.st_ino, on)); /* too soon to look again */
	loops_look(&loops, &host, 0);
	loops_look(&loops, &host, 0);
	ck_assert(loops_has_file(&loops, st.st_ino, on));
	ck_assert(loops_has_file(&loops, ino, on));
	ck_assert_uint_eq(loops.n, 2);
}
END_TEST

START_TEST(many_are_known)
{
	char line[PATH_MAX + 2], name[64], dev[32];

	snprintf(line, sizeof(line), "%s\n", image);
	for (int i = 10; i < 200; i++) {
		snprintf(name, sizeof(name), "loop%d", i);
		snprintf(dev, sizeof(dev), "7:%d\n", i);
		write_device(name, dev);
		snprintf(name, sizeof(name), "block/loop%d/loop/backing_file", i);
		fixture_write(dir, name, line);
	}
	loops_look(&loops, &host, 0);
	ck_assert_uint_eq(loops.n, 191);
	for (int i = 10; i < 200; i++)
		ck_assert(loops_has(&loops, DEV(7, i)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("loops");
	TCase *tcase = tcase_create("loops");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, one_with_a_file_is_known);
	tcase_add_test(tcase, its_disk_is_below_it);
	tcase_add_test(tcase, what_passes_requests_on_is_on_it);
	tcase_add_test(tcase, one_that_was_detached_is_known_for_a_while);
	tcase_add_loop_test(tcase, a_file_that_is_removed_is_none_of_a_detached_one, 0, 2);
	tcase_add_test(tcase, one_whose_file_was_renamed_is_known_for_a_while);
	tcase_add_test(tcase, one_whose_file_is_removed_goes_on);
	tcase_add_test(tcase, one_that_gets_another_file_has_both_for_a_while);
	tcase_add_test(tcase, many_are_known);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
