/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host is looked at through: which parts there are, and that they belong together. */
#include "resolve/resolve.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture/host_fixture.h"
#include "row/records.h"

static char *root;
static char proc[PATH_MAX], block[PATH_MAX];
static struct resolve resolve;

static void setup(void)
{
	root = fixture_make();
	snprintf(proc, sizeof(proc), "%.4000s/proc", root);
	snprintf(block, sizeof(block), "%.4000s/block", root);
}

static void teardown(void)
{
	resolve_close(&resolve);
	fixture_remove(root);
}

START_TEST(without_options_it_is_this_host)
{
	resolve_init(&resolve, &(struct resolve_options){ .all_fs = false });
	ck_assert_str_eq(resolve.procfs.root, "/proc");
	ck_assert_str_eq(resolve.mounts.proc, "/proc");
	ck_assert_str_eq(resolve.disks.root, "/sys/block");
	ck_assert(!resolve.mounts.all_fs);
	ck_assert_uint_eq(resolve.mounts.types.n_rules, 0);
}
END_TEST

START_TEST(options_reach_the_parts)
{
	struct fs_types types = { .n_rules = 0 };

	ck_assert(fs_types_add(&types, "ext4", IOT_FS_INCLUDE));
	resolve_init(&resolve, &(struct resolve_options){ .proc = proc,
							  .sys_block = block,
							  .all_fs = true,
							  .fs_types = &types });
	memset(&types, 0, sizeof(types)); /* it has a copy */
	ck_assert_str_eq(resolve.procfs.root, proc);
	ck_assert_str_eq(resolve.mounts.proc, proc);
	ck_assert_str_eq(resolve.disks.root, block);
	ck_assert(resolve.mounts.all_fs);
	ck_assert(fs_types_wants(&resolve.mounts.types, "ext4", false));
	ck_assert(!fs_types_wants(&resolve.mounts.types, "xfs", true));
}
END_TEST

static void write_host(void)
{
	fixture_write(root, "proc/self/mountinfo", "29 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	fixture_write(root, "block/sda/dev", "8:0\n");
	fixture_write(root, "block/sda/size", "1000\n");
	fixture_write(root, "block/sda/sda1/partition", "1\n");
	fixture_write(root, "block/sda/sda1/dev", "8:1\n");
	fixture_write(root, "block/sda/sda1/start", "100\n");
	fixture_write(root, "block/sda/sda1/size", "800\n");
}

START_TEST(to_begin_reads_nothing_and_to_open_reads_the_tables)
{
	const struct resolve_options options = { .proc = proc, .sys_block = block };
	uint32_t sda = 8 << 20, sda1 = 8 << 20 | 1;

	write_host();
	resolve_init(&resolve, &options);
	ck_assert(!mounts_of_dev(&resolve.mounts, sda1));
	ck_assert_uint_eq(resolve.disks.n, 0);
	resolve_open(&resolve, &options);
	ck_assert(mounts_of_dev(&resolve.mounts, sda1) != NULL);
	ck_assert_uint_eq(disks_partition(&resolve.disks, sda, 150), sda1);
	ck_assert_uint_eq(disks_partition(&resolve.disks, sda, 50), sda);
}
END_TEST

START_TEST(what_cannot_be_read_is_empty)
{
	const struct resolve_options options = { .proc = proc, .sys_block = block };

	resolve_open(&resolve, &options);
	ck_assert(!mounts_of_path(&resolve.mounts, "/"));
	ck_assert_uint_eq(resolve.disks.n, 0);
}
END_TEST

START_TEST(it_may_be_closed_twice)
{
	const struct resolve_options options = { .proc = proc, .sys_block = block };

	write_host();
	resolve_open(&resolve, &options);
	resolve_close(&resolve);
	ck_assert(!mounts_of_path(&resolve.mounts, "/"));
	ck_assert_uint_eq(resolve.disks.n, 0);
	resolve_close(&resolve);
}
END_TEST

/* Rules are given to the mounts; files are judged through procfs. */
START_TEST(files_are_judged_by_its_own_mounts)
{
	struct fs_types types = { .n_rules = 0 };
	struct procfs_file file;
	int fd;

	fixture_write(root, "file", "");
	snprintf(block, sizeof(block), "%.4000s/file", root);
	fd = open(block, O_RDONLY);
	ck_assert_int_ge(fd, 0);
	resolve_init(&resolve, &(struct resolve_options){ .all_fs = true });
	ck_assert(procfs_fd(&resolve.procfs, getpid(), fd, false, &file));
	ck_assert_int_eq(file.scope, SCOPE_IN);
	ck_assert(fs_types_add(&types, "nosuchfs", IOT_FS_INCLUDE));
	resolve_init(&resolve, &(struct resolve_options){ .all_fs = true, .fs_types = &types });
	ck_assert(procfs_fd(&resolve.procfs, getpid(), fd, false, &file));
	ck_assert_int_eq(file.scope, SCOPE_OUT);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("resolve");
	TCase *tcase = tcase_create("resolve");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, without_options_it_is_this_host);
	tcase_add_test(tcase, options_reach_the_parts);
	tcase_add_test(tcase, to_begin_reads_nothing_and_to_open_reads_the_tables);
	tcase_add_test(tcase, what_cannot_be_read_is_empty);
	tcase_add_test(tcase, it_may_be_closed_twice);
	tcase_add_test(tcase, files_are_judged_by_its_own_mounts);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
