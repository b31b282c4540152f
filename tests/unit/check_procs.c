/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes followed through a made-up /proc: whose child one is, where its paths
 * start, and what it shares with others until an exec or its end.
 */
#include "resolve/fd_calls.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture/fixture_proc.h"
#include "fixture/fixture_procs.h"
#include "fixture/fixture_record.h"
#include "resolve/procs_names.h"

enum { CLONE_FS_BIT = 0x200, CLONE_FILES_BIT = 0x400, THREAD = P + 50 };

static void change_directory(uint32_t tgid, const char *to)
{
	struct iot_fs rec = record_fs(tgid, IOT_CHDIR, -1, 0);
	struct path *text = path_new(to, strlen(to), 0);
	struct path *path = procs_resolve(procs, &(struct procs_name){ .tgid = tgid }, AT_FDCWD,
					  text);

	fd_calls_state(procs, &rec, path);
	path_put(path);
	path_put(text);
}

static const char *resolve(uint32_t tgid, int dirfd, const char *name)
{
	static struct path *last;
	struct path *text = path_new(name, strlen(name), 0);

	path_put(last);
	last = procs_resolve(procs, &(struct procs_name){ .tgid = tgid }, dirfd, text);
	path_put(text);
	return last ? last->raw : "(null)";
}

/* ---- processes ---- */

START_TEST(parent_comes_from_proc_or_from_the_fork)
{
	ck_assert_uint_eq(procs_ppid(procs, P), 77);
	procs_fork(procs, P, CHILD, 0);
	ck_assert_uint_eq(procs_ppid(procs, CHILD), P);
	ck_assert_uint_eq(procs_ppid(procs, GONE), 0);
	ck_assert_uint_eq(procs_ppid(procs, 0), 0);
}
END_TEST

START_TEST(parent_is_remembered_when_the_process_is_gone)
{
	ck_assert_uint_eq(procs_ppid(procs, P), 77);
	fixture_process_gone(P);
	ck_assert_uint_eq(procs_ppid(procs, P), 77);
	procs_exit(procs, P);
	ck_assert_uint_eq(procs_ppid(procs, P), 0);
}
END_TEST

START_TEST(mount_namespace_is_inherited)
{
	uint32_t mntns = procs_mntns(procs, P);

	ck_assert_uint_ne(mntns, 0);
	procs_fork(procs, P, CHILD, 0);
	ck_assert_uint_eq(procs_mntns(procs, CHILD), mntns);
	ck_assert_uint_eq(procs_mntns(procs, GONE), 0);
}
END_TEST

START_TEST(number_of_a_process_is_used_again)
{
	open_file(P, 3, "a", O_RDONLY);
	procs_fork(procs, P, CHILD, 0);
	procs_exit(procs, CHILD);
	procs_fork(procs, OTHER, CHILD, 0);
	ck_assert_uint_eq(procs_ppid(procs, CHILD), OTHER);
	ck_assert(desc_of(CHILD, 3) == NULL);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(more_processes_than_there_are_places_are_survived)
{
	open_file(P, 3, "a", O_RDONLY);
	for (uint32_t i = 0; i < 70000; i++)
		procs_fork(procs, GONE, 6000000 + i, 0);
	ck_assert_uint_eq(procs_ppid(procs, 6000000 + 69999), GONE);
	ck_assert_uint_eq(procs_ppid(procs, P), 77);
}
END_TEST

/* ---- paths ---- */

START_TEST(absolute_path_needs_no_process)
{
	ck_assert_str_eq(resolve(GONE, AT_FDCWD, "/a/./b"), "/a/b");
	ck_assert_str_eq(resolve(GONE, 7, "/a"), "/a");
}
END_TEST

START_TEST(relative_path_starts_at_the_working_directory)
{
	fixture_cwd(P, "/usr");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x/y"), "/usr/x/y");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "../x"), "/x");
	ck_assert_str_eq(resolve(GONE, AT_FDCWD, "x/y"), "x/y");
}
END_TEST

START_TEST(relative_path_starts_at_the_given_descriptor)
{
	fixture_fd(P, 5, "/usr/lib", 0, O_RDONLY | O_DIRECTORY);
	ck_assert_str_eq(resolve(P, 5, "x"), "/usr/lib/x");
	ck_assert_str_eq(resolve(P, 6, "x"), "x");
	ck_assert_str_eq(resolve(P, -1, "x"), "x");
	ck_assert_str_eq(resolve(P, 1 << 30, "x"), "x");
}
END_TEST

START_TEST(no_text_is_no_path)
{
	ck_assert(procs_resolve(procs, &(struct procs_name){ .tgid = P }, AT_FDCWD, NULL) == NULL);
}
END_TEST

START_TEST(chdir_and_fchdir_are_followed)
{
	fixture_cwd(P, "/usr");
	ck_assert_uint_ne(procs_mntns(procs, P), 0);
	change_directory(P, "lib");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/lib/x");
	change_directory(P, "/etc");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/etc/x");
	fixture_fd(P, 5, "/usr", 0, O_RDONLY | O_DIRECTORY);
	open_path(P, 5, "/usr", O_RDONLY);
	state(P, IOT_CHDIR, 5, 0, 0);
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/x");
	state(P, IOT_CHDIR, 99, 0, 0);
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "x");
}
END_TEST

START_TEST(failed_chdir_changes_nothing)
{
	struct iot_fs rec = record_fs(P, IOT_CHDIR, -1, -2);
	struct path *text = path_new("/no/such", 8, 0);

	fixture_cwd(P, "/usr");
	procs_mntns(procs, P);
	fd_calls_state(procs, &rec, text);
	path_put(text);
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/x");
}
END_TEST

START_TEST(child_has_a_working_directory_of_its_own)
{
	fixture_cwd(P, "/usr");
	procs_mntns(procs, P);
	procs_fork(procs, P, CHILD, 0);
	change_directory(CHILD, "/etc");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/x");
	ck_assert_str_eq(resolve(CHILD, AT_FDCWD, "x"), "/etc/x");
}
END_TEST

/* ---- fork ---- */

START_TEST(child_shares_descriptions_but_not_descriptors)
{
	open_file(P, 3, "a", O_RDWR);
	procs_fork(procs, P, CHILD, 0);
	ck_assert_int_eq(move(CHILD, IOT_WRITE, 3, 10), 0);
	ck_assert_int_eq(move(P, IOT_WRITE, 3, 10), 10);
	open_file(CHILD, 4, "b", O_RDWR);
	ck_assert(desc_of(P, 4) == NULL);
	ck_assert(!close_fd(CHILD, 3));
	ck_assert(close_fd(P, 3));
}
END_TEST

START_TEST(clone_files_shares_the_table)
{
	open_file(P, 3, "a", O_RDWR);
	procs_fork(procs, P, CHILD, CLONE_FILES_BIT);
	open_file(CHILD, 4, "b", O_RDWR);
	expect_path(desc_of(P, 4), "b");
	ck_assert(close_fd(P, 3));
	procs_exit(procs, CHILD);
	ck_assert_uint_eq(n_closed, 0);
	expect_path(desc_of(P, 4), "b");
	procs_exit(procs, P);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
}
END_TEST

START_TEST(exit_closes_what_nobody_else_has)
{
	open_file(P, 3, "a", O_RDWR);
	procs_fork(procs, P, CHILD, 0);
	open_file(CHILD, 40, "b", O_RDWR);
	procs_exit(procs, CHILD);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 40, "b");
	procs_exit(procs, P);
	ck_assert_uint_eq(n_closed, 2);
	expect_closed(1, 3, "a");
	procs_exit(procs, P);
	procs_exit(procs, GONE);
	ck_assert_uint_eq(n_closed, 2);
}
END_TEST

START_TEST(shutting_down_closes_nothing)
{
	open_file(P, 3, "a", O_RDWR);
	procs_close(procs);
	procs = NULL;
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

/* ---- exec ---- */

START_TEST(exec_closes_what_is_marked)
{
	open_file(P, 3, "a", O_RDWR | O_CLOEXEC);
	open_file(P, 4, "b", O_RDWR);
	open_file(P, 5, "c", O_RDWR);
	state(P, IOT_DUP, 4, 6, O_CLOEXEC);
	state(P, IOT_CLOEXEC, 5, 0, 1);
	state(P, IOT_CLOEXEC, 3, 0, 0);
	procs_exec(procs, P, record_later());
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 5, "c");
	expect_path(desc_of(P, 3), "a");
	ck_assert(close_fd(P, 4)); /* its duplicate is gone */
}
END_TEST

START_TEST(exec_ends_the_sharing_of_a_table)
{
	open_file(P, 3, "a", O_RDWR | O_CLOEXEC);
	procs_fork(procs, P, CHILD, CLONE_FILES_BIT);
	procs_exec(procs, CHILD, record_later());
	ck_assert_uint_eq(n_closed, 0);
	fixture_fd_closed(P, 3);
	expect_path(desc_of(P, 3), "a");
	ck_assert(desc_of(CHILD, 3) == NULL);
	open_file(CHILD, 4, "b", O_RDWR);
	ck_assert(desc_of(P, 4) == NULL);
}
END_TEST

/* ---- threads ---- */

/* A record of the thread: what it has for itself from now on, and what it does then. */
static void by(uint32_t tid)
{
	procs_caller(procs, P, tid);
}

static void unshare_as(uint32_t tid, int flags)
{
	struct iot_fs rec = record_fs(P, IOT_UNSHARE, flags, 0);

	by(tid);
	rec.head.tid = tid;
	fd_calls_state(procs, &rec, NULL);
}

START_TEST(thread_with_its_own_descriptors)
{
	open_file(P, 3, "a", O_RDONLY);
	unshare_as(THREAD, CLONE_FILES_BIT);
	open_file(P, 3, "b", O_RDONLY);
	expect_path(desc_of(P, 3), "b");
	by(P);
	expect_path(desc_of(P, 3), "a");
	by(THREAD + 1); /* of whom nobody can say, is with the process */
	expect_path(desc_of(P, 3), "a");
	ck_assert(close_fd(P, 3));
	by(THREAD);
	expect_path(desc_of(P, 3), "b");
	ck_assert(close_fd(P, 3));
}
END_TEST

/* As a kernel without CONFIG_KCMP answers, for the rest of this process. */
static void no_kcmp(void)
{
	struct sock_filter lines[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(lines) / sizeof(lines[0]), lines };

	ck_assert(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	ck_assert(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

START_TEST(threads_that_nobody_compares_have_their_own_after_unshare)
{
	char name[64];

	no_kcmp();
	for (unsigned i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "task/%u/comm", i ? THREAD : P);
		fixture_proc_text(P, name, "");
	}
	open_file(P, 3, "a", O_RDONLY);
	by(THREAD);
	expect_path(desc_of(P, 3), "a");
	unshare_as(THREAD, CLONE_FILES_BIT);
	open_file(P, 3, "b", O_RDONLY);
	expect_path(desc_of(P, 3), "b");
	by(P);
	expect_path(desc_of(P, 3), "a");
}
END_TEST

START_TEST(thread_with_its_own_directory)
{
	fixture_cwd(P, "/usr");
	unshare_as(THREAD, CLONE_FS_BIT);
	change_directory(P, "/usr/share");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/share/x");
	open_file(P, 3, "a", O_RDONLY);
	by(P);
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/x");
	change_directory(P, "/etc");
	expect_path(desc_of(P, 3), "a"); /* descriptors are shared all the same */
	by(THREAD);
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/share/x");
}
END_TEST

START_TEST(process_of_one_thread_has_nothing_to_share)
{
	open_file(P, 3, "a", O_RDONLY);
	unshare_as(P, CLONE_FILES_BIT | CLONE_FS_BIT);
	by(THREAD); /* made later, as threads are */
	expect_path(desc_of(P, 3), "a");
	ck_assert(close_fd(P, 3));
}
END_TEST

START_TEST(process_that_shares_a_table_has_its_own_after_unshare)
{
	open_file(P, 3, "a", O_RDONLY);
	procs_fork(procs, P, CHILD, CLONE_FILES_BIT | CLONE_FS_BIT);
	change_directory(CHILD, "/usr/share");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/share/x");
	unshare_as(P, CLONE_FILES_BIT | CLONE_FS_BIT);
	change_directory(P, "/etc");
	ck_assert_str_eq(resolve(CHILD, AT_FDCWD, "x"), "/usr/share/x");
	ck_assert(!close_fd(P, 3));
	expect_path(desc_of(CHILD, 3), "a");
}
END_TEST

START_TEST(thread_that_was_cloned_with_less)
{
	struct iot_fs rec = record_fs(P, IOT_THREAD, -1, THREAD);

	open_file(P, 3, "a", O_RDONLY);
	rec.size = CLONE_FS_BIT;
	by(P);
	fd_calls_state(procs, &rec, NULL);
	by(THREAD);
	ck_assert(!close_fd(P, 3));
	change_directory(P, "/usr/share");
	by(P);
	expect_path(desc_of(P, 3), "a");
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/share/x");
}
END_TEST

START_TEST(close_range_may_begin_with_an_own_table)
{
	struct iot_fs rec = record_fs(P, IOT_CLOSE_RANGE, 3, 0);

	open_file(P, 3, "a", O_RDONLY);
	by(THREAD);
	rec.head.tid = THREAD;
	rec.size = UINT32_MAX;
	rec.flags = 2;
	fd_calls_state(procs, &rec, NULL);
	ck_assert_uint_eq(n_closed, 0);
	by(P);
	expect_path(desc_of(P, 3), "a");
}
END_TEST

START_TEST(threads_that_ended_are_not_kept)
{
	unsigned n = 0;

	procs_get(procs, P);
	unshare_as(THREAD, CLONE_FILES_BIT);
	open_file(P, 4, "b", O_RDONLY);
	for (uint32_t tid = THREAD + 1; tid < THREAD + 10000; tid++) {
		by(tid);
		ck_assert(procs_get(procs, P) != NULL);
	}
	/* with it, its table */
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
	procs_caller(procs, 0, 0);
	for (const struct proc *proc = procs_get(procs, P)->threads; proc; proc = proc->next)
		n++;
	ck_assert_uint_lt(n, 300);
}
END_TEST

START_TEST(own_table_of_a_thread_is_closed_with_the_process)
{
	procs_get(procs, P);
	unshare_as(THREAD, CLONE_FILES_BIT);
	open_file(P, 4, "b", O_RDONLY);
	procs_exit(procs, P);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
}
END_TEST

START_TEST(exec_leaves_one_thread)
{
	unshare_as(THREAD, CLONE_FILES_BIT);
	open_file(P, 3, "b", O_RDONLY);
	procs_exec(procs, P, record_later());
	by(P);
	expect_path(desc_of(P, 3), "b"); /* read anew: nobody knows whose table it is */
	ck_assert(close_fd(P, 3));
}
END_TEST

START_TEST(exec_of_the_unknown_is_nothing)
{
	procs_exec(procs, GONE, record_later());
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

/* ---- without following ---- */

START_TEST(without_following_only_parents_are_known)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	ck_assert_uint_eq(procs_ppid(procs, P), 77);
	procs_fork(procs, P, CHILD, 0);
	ck_assert_uint_eq(procs_ppid(procs, CHILD), P);
	procs_exec(procs, CHILD, record_later());
	state(P, IOT_LSEEK, 3, 1, 0);
	ck_assert(close_fd(P, 3));
	procs_exit(procs, CHILD);
	procs_exit(procs, P);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(descriptor_without_a_place_is_not_told)
{
	struct iot_fs rec = record_fs(P, IOT_READ, 3, 1);
	struct desc *desc;

	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	desc = desc_of(P, 3);
	ck_assert(!desc || desc_move(desc, &rec) <= 0);
	open_path(P, 4, fixture_file("a"), O_RDONLY);
}
END_TEST

static TCase *processes_case(void)
{
	TCase *tcase = tcase_create("processes");

	tcase_add_checked_fixture(tcase, fixture_procs_setup, fixture_procs_teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, parent_comes_from_proc_or_from_the_fork);
	tcase_add_test(tcase, parent_is_remembered_when_the_process_is_gone);
	tcase_add_test(tcase, mount_namespace_is_inherited);
	tcase_add_test(tcase, number_of_a_process_is_used_again);
	tcase_add_test(tcase, more_processes_than_there_are_places_are_survived);
	tcase_add_test(tcase, absolute_path_needs_no_process);
	tcase_add_test(tcase, relative_path_starts_at_the_working_directory);
	tcase_add_test(tcase, relative_path_starts_at_the_given_descriptor);
	tcase_add_test(tcase, no_text_is_no_path);
	tcase_add_test(tcase, chdir_and_fchdir_are_followed);
	tcase_add_test(tcase, failed_chdir_changes_nothing);
	tcase_add_test(tcase, child_has_a_working_directory_of_its_own);
	return tcase;
}

static TCase *sharing_case(void)
{
	TCase *tcase = tcase_create("sharing");

	tcase_add_checked_fixture(tcase, fixture_procs_setup, fixture_procs_teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, child_shares_descriptions_but_not_descriptors);
	tcase_add_test(tcase, clone_files_shares_the_table);
	tcase_add_test(tcase, exit_closes_what_nobody_else_has);
	tcase_add_test(tcase, shutting_down_closes_nothing);
	tcase_add_test(tcase, exec_closes_what_is_marked);
	tcase_add_test(tcase, exec_ends_the_sharing_of_a_table);
	tcase_add_test(tcase, thread_with_its_own_descriptors);
	tcase_add_test(tcase, thread_with_its_own_directory);
	tcase_add_test(tcase, process_of_one_thread_has_nothing_to_share);
	tcase_add_test(tcase, process_that_shares_a_table_has_its_own_after_unshare);
	tcase_add_test(tcase, threads_that_nobody_compares_have_their_own_after_unshare);
	tcase_add_test(tcase, thread_that_was_cloned_with_less);
	tcase_add_test(tcase, close_range_may_begin_with_an_own_table);
	tcase_add_test(tcase, threads_that_ended_are_not_kept);
	tcase_add_test(tcase, own_table_of_a_thread_is_closed_with_the_process);
	tcase_add_test(tcase, exec_leaves_one_thread);
	tcase_add_test(tcase, exec_of_the_unknown_is_nothing);
	return tcase;
}

static TCase *unfollowed_case(void)
{
	TCase *tcase = tcase_create("unfollowed");

	tcase_add_checked_fixture(tcase, fixture_procs_setup_unfollowed, fixture_procs_teardown);
	tcase_add_test(tcase, without_following_only_parents_are_known);
	tcase_add_test(tcase, descriptor_without_a_place_is_not_told);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("procs");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, processes_case());
	suite_add_tcase(suite, sharing_case());
	suite_add_tcase(suite, unfollowed_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
