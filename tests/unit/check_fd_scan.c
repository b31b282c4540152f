/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors as /proc describes them: one, or all of a process, and which are one file opened once. */
#include "resolve/fd_scan.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "fixture/fixture_proc.h"

enum { P = 5000001, GONE = 5000099 };

static struct fd_table *table;
static int n_closed, last_closed;

static void on_close(void *arg, const struct desc_close *close)
{
	(void)arg;
	n_closed++;
	last_closed = close->fd;
}

static const struct desc_listener listener = { .closed = on_close };

static void setup(void)
{
	fixture_proc_open();
	fixture_process(P, 77, "name");
	table = fd_table_new(&listener);
	ck_assert(table != NULL);
	n_closed = 0;
}

static void teardown(void)
{
	fd_table_put(table);
	fixture_proc_close();
}

/* ---- one ---- */

START_TEST(descriptor_is_as_proc_has_it)
{
	uint64_t before = mono_ns();
	struct desc *desc;
	struct stat st;

	fixture_fd(P, 3, fixture_file("a"), 4096, O_RDWR | O_APPEND);
	fixture_file_stat("a", &st);
	desc = fd_scan_one(table, PROC, P, 3);
	ck_assert(desc != NULL);
	ck_assert_ptr_eq(fd_table_find(table, 3), desc);
	ck_assert_str_eq(desc->path->raw, fixture_file("a"));
	ck_assert_uint_eq(desc->path->flags, PATH_FULL | PATH_PROC);
	ck_assert_uint_eq(desc->ino, st.st_ino);
	ck_assert_uint_eq(desc->dev, fixture_dev(&st));
	ck_assert_int_eq(desc->scope, SCOPE_IN);
	ck_assert_uint_eq(desc->flags, O_RDWR | O_APPEND);
	ck_assert_int_eq(desc->pos, 4096);
	ck_assert_uint_ge(desc->as_of, before);
	ck_assert_uint_le(desc->as_of, mono_ns());
	ck_assert(!desc->deleted && !fd_table_slot(table, 3)->cloexec);
}
END_TEST

START_TEST(close_on_exec_belongs_to_the_descriptor)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_WRONLY | O_CLOEXEC);
	ck_assert_uint_eq(fd_scan_one(table, PROC, P, 3)->flags, O_WRONLY);
	ck_assert(fd_table_slot(table, 3)->cloexec);
}
END_TEST

START_TEST(descriptor_that_is_not_there_changes_nothing)
{
	struct desc *before;

	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	before = fd_scan_one(table, PROC, P, 3);
	fixture_fd_closed(P, 3);
	ck_assert(!fd_scan_one(table, PROC, P, 3));
	ck_assert(!fd_scan_one(table, PROC, GONE, 3));
	ck_assert_ptr_eq(fd_table_find(table, 3), before);
	ck_assert_int_eq(n_closed, 0);
}
END_TEST

START_TEST(what_was_there_before_is_closed)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	fd_scan_one(table, PROC, P, 3);
	fixture_fd(P, 3, fixture_file("b"), 0, O_RDONLY);
	ck_assert_str_eq(fd_scan_one(table, PROC, P, 3)->path->raw, fixture_file("b"));
	ck_assert_int_eq(n_closed, 1);
	ck_assert_int_eq(last_closed, 3);
}
END_TEST

START_TEST(file_without_a_path_has_no_name)
{
	struct procfs_file file = { .scope = SCOPE_OUT, .ino = 7, .dev = 9, .deleted = true };
	struct desc *desc = desc_of_file(&file);

	ck_assert(desc && !desc->path);
	ck_assert_int_eq(desc->scope, SCOPE_OUT);
	ck_assert_uint_eq(desc->ino, 7);
	ck_assert_uint_eq(desc->dev, 9);
	ck_assert(desc->deleted);
	desc_put(desc);
}
END_TEST

/* ---- all ---- */

START_TEST(all_descriptors_of_a_process_are_found)
{
	fixture_fd(P, 0, fixture_file("a"), 5, O_RDONLY);
	fixture_fd(P, 3, fixture_file("b"), 6, O_WRONLY | O_CLOEXEC);
	fixture_fd(P, 700, fixture_file("c"), 7, O_RDWR);
	ck_assert(fd_scan_all(table, PROC, P));
	ck_assert_str_eq(fd_table_find(table, 0)->path->raw, fixture_file("a"));
	ck_assert_str_eq(fd_table_find(table, 3)->path->raw, fixture_file("b"));
	ck_assert_int_eq(fd_table_find(table, 700)->pos, 7);
	ck_assert(!fd_table_slot(table, 0)->cloexec && fd_table_slot(table, 3)->cloexec);
	ck_assert(!fd_table_find(table, 1) && !fd_table_find(table, 699));
}
END_TEST

START_TEST(process_that_is_gone_has_none)
{
	ck_assert(!fd_scan_all(table, PROC, GONE));
	ck_assert(!fd_table_find(table, 0));
}
END_TEST

START_TEST(process_without_descriptors_is_not_gone)
{
	ck_assert(fd_scan_all(table, PROC, P));
	ck_assert(!fd_table_find(table, 0));
}
END_TEST

/* Nobody can be asked about a process that is made up. */
START_TEST(one_file_twice_has_no_known_position_where_the_kernel_does_not_say)
{
	struct desc *first;

	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	first = fd_scan_one(table, PROC, P, 3);
	fixture_fd_closed(P, 3);
	fixture_fd(P, 4, fixture_file("a"), 0, O_RDONLY);
	fixture_fd(P, 5, fixture_file("b"), 0, O_RDONLY);
	ck_assert(fd_scan_all(table, PROC, P));
	ck_assert_ptr_ne(fd_table_find(table, 4), first);
	ck_assert(first->untracked_pos && fd_table_find(table, 4)->untracked_pos);
	ck_assert(!fd_table_find(table, 5)->untracked_pos);
}
END_TEST

START_TEST(what_is_no_file_is_not_compared)
{
	struct desc *first;
	struct stat st;

	fixture_socket(P, 3, &st);
	first = fd_scan_one(table, PROC, P, 3);
	ck_assert_int_eq(first->scope, SCOPE_OUT);
	fixture_fd_closed(P, 3);
	fixture_fd(P, 4, fixture_file("socket-5000001-3"), 0, O_RDWR);
	ck_assert(fd_scan_all(table, PROC, P));
	ck_assert_uint_eq(fd_table_find(table, 4)->ino, first->ino);
	ck_assert(!first->untracked_pos && !fd_table_find(table, 4)->untracked_pos);
}
END_TEST

/* ---- our own process ---- */

static bool kernel_compares(int fd, int other)
{
	return syscall(SYS_kcmp, getpid(), getpid(), 0, fd, other) >= 0;
}

START_TEST(duplicates_share_a_description_and_two_opens_do_not)
{
	const char *name = fixture_file("a");
	int fd = open(name, O_RDONLY), again = open(name, O_RDONLY), twin = dup(fd);
	struct desc *desc;

	ck_assert(fd >= 0 && again > fd && twin > again);
	fixture_proc_real();
	ck_assert(fd_scan_all(table, PROC, getpid()));
	desc = fd_table_find(table, fd);
	ck_assert_str_eq(desc->path->raw, name);
	ck_assert_ptr_ne(fd_table_find(table, again), desc);
	if (kernel_compares(fd, twin)) {
		ck_assert_ptr_eq(fd_table_find(table, twin), desc);
		ck_assert_uint_eq(desc->refs, 2);
		ck_assert(!desc->untracked_pos);
	} else {
		ck_assert(desc->untracked_pos && fd_table_find(table, twin)->untracked_pos);
	}
	close(fd);
	close(again);
	close(twin);
}
END_TEST

START_TEST(unlinked_file_is_marked)
{
	const char *name = fixture_file("a");
	int fd = open(name, O_RDWR);
	struct desc *desc;

	ck_assert(fd >= 0 && !unlink(name));
	fixture_proc_real();
	desc = fd_scan_one(table, PROC, getpid(), fd);
	ck_assert(desc && desc->deleted);
	ck_assert_str_eq(desc->path->raw, name);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fd_scan");
	TCase *one = tcase_create("one"), *all = tcase_create("all"), *own = tcase_create("own");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(one, setup, teardown);
	tcase_add_test(one, descriptor_is_as_proc_has_it);
	tcase_add_test(one, close_on_exec_belongs_to_the_descriptor);
	tcase_add_test(one, descriptor_that_is_not_there_changes_nothing);
	tcase_add_test(one, what_was_there_before_is_closed);
	tcase_add_test(one, file_without_a_path_has_no_name);
	suite_add_tcase(suite, one);
	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, all_descriptors_of_a_process_are_found);
	tcase_add_test(all, process_that_is_gone_has_none);
	tcase_add_test(all, process_without_descriptors_is_not_gone);
	tcase_add_test(all, one_file_twice_has_no_known_position_where_the_kernel_does_not_say);
	tcase_add_test(all, what_is_no_file_is_not_compared);
	suite_add_tcase(suite, all);
	tcase_add_checked_fixture(own, setup, teardown);
	tcase_add_test(own, duplicates_share_a_description_and_two_opens_do_not);
	tcase_add_test(own, unlinked_file_is_marked);
	suite_add_tcase(suite, own);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
