/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waits in the page cache at the end, and under which name a file counts. */
#include "analysis/amp/unwritten.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, DISK = 8 << 20 | 1, MEMORY = 25 };

static struct unwritten u;

static void set_up(void)
{
	memset(&u, 0, sizeof(u));
}

static void tear_down(void)
{
	unwritten_free(&u);
}

static void wrote(const char *path, uint64_t inode, uint64_t device, int64_t offset, uint64_t ns)
{
	unwritten_wrote(&u, &(struct unwritten_write){ .inode = inode,
						       .device = device,
						       .path = path,
						       .len = strlen(path),
						       .offset = offset,
						       .bytes = MIB,
						       .ns = ns });
}

static void reached(const char *path, uint64_t inode, uint64_t bytes)
{
	unwritten_reached(&u, inode, path, strlen(path), bytes);
}

static void renamed(const char *from, const char *to, uint64_t ns)
{
	unwritten_renamed(&u, from, strlen(from), to, strlen(to), ns);
}

START_TEST(what_no_device_has_waits)
{
	wrote("/a", 7, DISK, 0, 1);
	wrote("/a", 7, DISK, MIB, 2);
	ck_assert_uint_eq(unwritten_end(&u, NULL), 2 * MIB);
	reached("/a", 7, MIB);
	ck_assert_uint_eq(unwritten_end(&u, NULL), MIB);
	/* of which file, nobody knows */
	reached("", 0, 4096);
	ck_assert_uint_eq(unwritten_end(&u, NULL), MIB - 4096);
	reached("/a", 7, 4096 + MIB);
	ck_assert_uint_eq(unwritten_end(&u, NULL), 0);
}
END_TEST

START_TEST(bytes_written_again_wait_once)
{
	for (uint64_t ns = 1; ns < 50; ns++)
		wrote("/a", 7, DISK, 0, ns);
	ck_assert_uint_eq(unwritten_end(&u, NULL), MIB);
	/* where they went is not known: at most that many */
	wrote("/b", 8, DISK, -1, 60);
	ck_assert_uint_eq(unwritten_end(&u, NULL), 2 * MIB);
}
END_TEST

START_TEST(what_is_gone_does_not_wait)
{
	wrote("/a", 7, DISK, 0, 1);
	unwritten_gone(&u, "/a", 2, 5);
	ck_assert_uint_eq(unwritten_end(&u, NULL), 0);
	/* it is there again */
	wrote("/a", 7, DISK, 0, 6);
	ck_assert_uint_eq(unwritten_end(&u, NULL), MIB);
}
END_TEST

START_TEST(a_saved_file_is_looked_for_under_its_new_name)
{
	wrote("/a.tmp", 7, DISK, 0, 1);
	renamed("/a.tmp", "/a", 2);
	ck_assert_uint_eq(unwritten_end(&u, NULL), MIB);
	reached("/a", 7, MIB);
	ck_assert_uint_eq(unwritten_end(&u, NULL), 0);
	/* another file gets the inode of one that was replaced */
	wrote("/b", 7, DISK, 0, 9);
	ck_assert_uint_eq(unwritten_end(&u, NULL), MIB);
	/* what the second save replaced is gone */
	wrote("/a.tmp", 10, DISK, 0, 10);
	renamed("/a.tmp", "/a", 11);
	ck_assert_uint_eq(unwritten_end(&u, NULL), 2 * MIB);
}
END_TEST

START_TEST(memory_has_no_device)
{
	wrote("/dev/shm/a", 7, MEMORY, 0, 1);
	ck_assert_uint_eq(unwritten_end(&u, NULL), 0);
	/* what has no disk of its own, and writes to one all the same: btrfs */
	wrote("/b", 8, 30, 0, 1);
	wrote("/c", 9, 30, 0, 1);
	reached("/b", 8, MIB);
	ck_assert_uint_eq(unwritten_end(&u, NULL), MIB);
}
END_TEST

START_TEST(parts_join_in_any_order)
{
	struct unwritten other, sum[2];

	wrote("/a", 7, DISK, 0, 1);
	reached("/b", 8, MIB);
	other = u;
	set_up();
	wrote("/b", 8, DISK, 0, 3);
	unwritten_gone(&u, "/a", 2, 2);
	memset(sum, 0, sizeof(sum));
	unwritten_join(&sum[0], &u);
	unwritten_join(&sum[0], &other);
	unwritten_join(&sum[1], &other);
	unwritten_join(&sum[1], &u);
	ck_assert_uint_eq(unwritten_end(&sum[0], NULL), 0);
	ck_assert_uint_eq(unwritten_end(&sum[1], NULL), 0);
	unwritten_free(&sum[0]);
	unwritten_free(&sum[1]);
	unwritten_free(&other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unwritten");
	TCase *tcase = tcase_create("unwritten");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, what_no_device_has_waits);
	tcase_add_test(tcase, bytes_written_again_wait_once);
	tcase_add_test(tcase, what_is_gone_does_not_wait);
	tcase_add_test(tcase, a_saved_file_is_looked_for_under_its_new_name);
	tcase_add_test(tcase, memory_has_no_device);
	tcase_add_test(tcase, parts_join_in_any_order);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
