/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks and partitions of a made-up /sys/block. */
#include "resolve/disks.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/host_fixture.h"

#define DEV(major, minor) ((uint32_t)(major) << 20 | (minor))

static char *dir;
static char sys_block[PATH_MAX];

static void write_disk(const char *path, const char *dev, const char *start, const char *size)
{
	char name[300];

	snprintf(name, sizeof(name), "block/%s/dev", path);
	fixture_write(dir, name, dev);
	snprintf(name, sizeof(name), "block/%s/size", path);
	fixture_write(dir, name, size);
	if (!start)
		return;
	snprintf(name, sizeof(name), "block/%s/start", path);
	fixture_write(dir, name, start);
}

static struct disks disks;

static void setup(void)
{
	dir = fixture_make();
	snprintf(sys_block, sizeof(sys_block), "%.4000s/block", dir);
	write_disk("sda", "8:0\n", NULL, "10000\n");
	write_disk("sda/sda1", "8:1\n", "2048\n", "4000\n");
	write_disk("sda/sda2", "8:2\n", "6048\n", "100\n");
	fixture_write(dir, "block/sda/queue/nr_requests", "64\n");
	write_disk("nvme0n1", "259:0\n", NULL, "5000000000\n");
	disks_open(&disks, sys_block);
}

static void teardown(void)
{
	disks_close(&disks);
	fixture_remove(dir);
}

START_TEST(the_list_has_disks_and_partitions)
{
	unsigned whole = 0, parts = 0;

	ck_assert_uint_eq(disks.n, 4);
	for (size_t i = 0; i < disks.n; i++) {
		whole += disks.list[i].whole == disks.list[i].dev;
		parts += disks.list[i].whole == DEV(8, 0) && disks.list[i].dev != DEV(8, 0);
		if (disks.list[i].dev == DEV(8, 2)) {
			ck_assert_str_eq(disks.list[i].name, "sda2");
			ck_assert_uint_eq(disks.list[i].start, 6048);
			ck_assert_uint_eq(disks.list[i].sectors, 100);
		}
		if (disks.list[i].dev == DEV(259, 0))
			ck_assert_uint_eq(disks.list[i].sectors, 5000000000ULL);
	}
	ck_assert_uint_eq(whole, 2);
	ck_assert_uint_eq(parts, 2);
}
END_TEST

START_TEST(a_sector_lies_in_a_partition_or_on_the_disk)
{
	static const struct {
		uint64_t sector;
		uint32_t dev;
	} cases[] = {
		{ 0, DEV(8, 0) },    { 2047, DEV(8, 0) },       { 2048, DEV(8, 1) },
		{ 6047, DEV(8, 1) }, { 6048, DEV(8, 2) },       { 6147, DEV(8, 2) },
		{ 6148, DEV(8, 0) }, { UINT64_MAX, DEV(8, 0) },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(disks_partition(&disks, DEV(8, 0), cases[i].sector),
				  cases[i].dev);
	ck_assert_uint_eq(disks_partition(&disks, DEV(259, 0), 4096), DEV(259, 0));
	ck_assert_uint_eq(disks_partition(&disks, DEV(7, 3), 0), DEV(7, 3));
}
END_TEST

START_TEST(a_disk_that_comes_later_is_found)
{
	uint64_t read_ns = disks.read_ns;

	write_disk("sdb", "8:16\n", NULL, "1000\n");
	write_disk("sdb/sdb1", "8:17\n", "8\n", "100\n");
	/* asked for too soon: not looked at again yet */
	ck_assert_uint_eq(disks_partition(&disks, DEV(8, 16), 8), DEV(8, 16));
	ck_assert_uint_eq(disks.read_ns, read_ns);
	disks_close(&disks);
	disks_open(&disks, sys_block);
	ck_assert_uint_eq(disks_partition(&disks, DEV(8, 16), 8), DEV(8, 17));
	ck_assert_uint_gt(disks.read_ns, read_ns);
}
END_TEST

/* What it did is told by its name. */
START_TEST(one_that_is_removed_is_kept)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.4000s/block/sda", dir);
	fixture_remove(strdup(name));
	write_disk("sdc", "8:32\n", NULL, "1000\n");
	disks.read_ns = 0;
	disks_see(&disks, DEV(8, 0)); /* known: no reason to look */
	ck_assert_uint_eq(disks.n, 4);
	disks_see(&disks, DEV(8, 32));
	ck_assert_uint_eq(disks.n, 5);
	for (size_t i = 0; i < disks.n; i++)
		ck_assert_int_eq(disks.list[i].gone, disks.list[i].whole == DEV(8, 0));
	ck_assert_uint_eq(disks_partition(&disks, DEV(8, 0), 6050), DEV(8, 2));
	/* its number is another's now */
	write_disk("sdd", "8:0\n", NULL, "1000\n");
	write_disk("sde", "8:64\n", NULL, "1000\n");
	disks.read_ns = 0;
	disks_see(&disks, DEV(8, 64));
	ck_assert_uint_eq(disks.n, 6);
	for (size_t i = 0; i < disks.n; i++)
		if (disks.list[i].dev == DEV(8, 0))
			ck_assert_str_eq(disks.list[i].name, "sdd");
}
END_TEST

START_TEST(no_sysfs_is_no_disk)
{
	disks_close(&disks);
	disks_open(&disks, "/nonexistent");
	ck_assert_uint_eq(disks.n, 0);
	ck_assert_uint_eq(disks_partition(&disks, DEV(8, 0), 2048), DEV(8, 0));
}
END_TEST

START_TEST(many_disks)
{
	char name[40], dev[40];
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "sdx%d", i);
		snprintf(dev, sizeof(dev), "65:%d\n", i);
		write_disk(name, dev, NULL, "8\n");
	}
	disks_close(&disks);
	disks_open(&disks, sys_block);
	ck_assert_uint_eq(disks.n, 204);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("disks");
	TCase *tcase = tcase_create("disks");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, the_list_has_disks_and_partitions);
	tcase_add_test(tcase, a_sector_lies_in_a_partition_or_on_the_disk);
	tcase_add_test(tcase, a_disk_that_comes_later_is_found);
	tcase_add_test(tcase, one_that_is_removed_is_kept);
	tcase_add_test(tcase, no_sysfs_is_no_disk);
	tcase_add_test(tcase, many_disks);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
