/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc tells: odd names, unlinked files, things that are no files, and
 * processes that are gone.
 */
#include "resolve/procfs.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_proc.h"

enum { P = 5000001, GONE = 5000099 };

static struct procfs_file file;

static void setup(void)
{
	fixture_proc_open();
	fixture_process(P, 77, "name");
}

static void teardown(void)
{
	fixture_proc_close();
}

/* ---- stat ---- */

static const struct {
	const char *stat;
	uint32_t ppid;
} stats[] = {
	{ "5 (sh) S 42 5 5 0\n", 42 },
	{ "5 (a b) S 42 5 5\n", 42 },
	{ "5 (a) b) R 42 5 5\n", 42 },
	{ "5 (() ) R 42 5 5\n", 42 },
	{ "5 ()) S 1 2) Z 43 5\n", 43 },
	{ "5 (new\nline) S 44 5\n", 44 },
	{ "5 (sh) S 4194304 5\n", 4194304 },
	{ "5 (sh) S 0 0\n", 0 },
	{ "5 (sh", 0 },
	{ "5 (sh)", 0 },
	{ "5 (sh) S", 0 },
	{ "", 0 },
	{ "nonsense", 0 },
};

START_TEST(parent_is_read_behind_any_name)
{
	fixture_proc_text(P, "stat", stats[_i].stat);
	ck_assert_uint_eq(procfs_ppid(PROC, P), stats[_i].ppid);
}
END_TEST

START_TEST(process_that_is_gone_has_nothing)
{
	ck_assert_uint_eq(procfs_ppid(PROC, GONE), 0);
	ck_assert_uint_eq(procfs_mntns(PROC, GONE), 0);
	ck_assert(!procfs_directory(PROC, GONE, "cwd", &file));
	ck_assert(!procfs_directory(PROC, GONE, "root", &file));
	ck_assert(!procfs_fd(PROC, GONE, 0, true, &file));
	ck_assert(!procfs_each_fd(PROC, GONE, NULL, NULL));
	ck_assert(!procfs_in_root(PROC, GONE, "/", &file));
}
END_TEST

START_TEST(mount_namespace_is_an_inode_number)
{
	ck_assert_uint_ne(procfs_mntns(PROC, P), 0);
	ck_assert_uint_eq(procfs_mntns(PROC, P), procfs_mntns(PROC, getpid()));
}
END_TEST

/* ---- directories ---- */

START_TEST(working_directory_is_the_links_text)
{
	struct stat st;

	fixture_cwd(P, "/usr");
	ck_assert(procfs_directory(PROC, P, "cwd", &file));
	ck_assert_str_eq(file.path, "/usr");
	ck_assert_int_eq(stat("/usr", &st), 0);
	ck_assert_uint_eq(file.ino, st.st_ino);
	ck_assert_uint_eq(file.dev, fixture_dev(&st));
	ck_assert(procfs_directory(PROC, P, "root", &file));
	ck_assert_str_eq(file.path, "/");
}
END_TEST

START_TEST(working_directory_that_was_removed_is_no_path)
{
	fixture_cwd(P, "/no/such/dir (deleted)");
	ck_assert(!procfs_directory(PROC, P, "cwd", &file));
}
END_TEST

/* ---- descriptors ---- */

START_TEST(descriptor_of_a_file_is_in_scope)
{
	struct stat st;

	fixture_fd(P, 3, fixture_file("a"), 4096, O_RDWR | O_APPEND);
	fixture_file_stat("a", &st);
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_str_eq(file.path, fixture_file("a"));
	ck_assert_int_eq(file.scope, SCOPE_IN);
	ck_assert_uint_eq(file.ino, st.st_ino);
	ck_assert_uint_eq(file.dev, fixture_dev(&st));
	ck_assert_int_eq(file.pos, 4096);
	ck_assert_uint_eq(file.flags, O_RDWR | O_APPEND);
	ck_assert(!file.deleted && !file.cloexec);
}
END_TEST

START_TEST(close_on_exec_is_told_apart_from_the_flags)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_WRONLY | O_CLOEXEC);
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert(file.cloexec);
	ck_assert_uint_eq(file.flags, O_WRONLY);
}
END_TEST

START_TEST(without_info_there_is_no_position)
{
	fixture_fd(P, 3, fixture_file("a"), 4096, O_RDWR);
	ck_assert(procfs_fd(PROC, P, 3, false, &file));
	ck_assert_int_eq(file.pos, -1);
	ck_assert_uint_eq(file.flags, 0);
}
END_TEST

START_TEST(odd_info_leaves_the_position_unknown)
{
	fixture_fd(P, 3, fixture_file("a"), 4096, O_RDWR);
	fixture_proc_text(P, "fdinfo/3", "mnt_id:\t5\n");
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_int_eq(file.pos, -1);
	fixture_proc_text(P, "fdinfo/3", "");
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_int_eq(file.pos, -1);
	fixture_proc_text(P, "fdinfo/3", "pos:\t9223372036854775807\nflags:\t02100002\n");
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_int_eq(file.pos, INT64_MAX);
	ck_assert(file.cloexec);
	ck_assert_uint_eq(file.flags, 0100002);
}
END_TEST

START_TEST(directory_is_in_scope)
{
	fixture_fd(P, 3, "/usr", 0, O_RDONLY);
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_int_eq(file.scope, SCOPE_IN);
	ck_assert_str_eq(file.path, "/usr");
}
END_TEST

START_TEST(what_is_no_file_has_no_path)
{
	char link[64];
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	snprintf(link, sizeof(link), "/proc/%d/fd/%d", getpid(), ends[0]);
	fixture_fd(P, 3, link, 0, O_RDWR);
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_str_eq(file.path, "");
	ck_assert_int_eq(file.scope, SCOPE_OUT);
	fixture_fd(P, 4, "/dev/null", 0, O_RDWR);
	ck_assert(procfs_fd(PROC, P, 4, true, &file));
	ck_assert_int_eq(file.scope, SCOPE_OUT);
}
END_TEST

/* Two files take turns at one descriptor: whichever is seen, name and number are its own. */
static void *take_turns(void *stop)
{
	for (unsigned i = 0; !__atomic_load_n((bool *)stop, __ATOMIC_RELAXED); i++) {
		int fd = open(i % 2 ? "/etc/passwd" : "/etc/group", O_RDONLY | O_CLOEXEC);

		ck_assert_int_ge(dup2(fd, 200), 0);
		close(fd);
	}
	return NULL;
}

START_TEST(name_and_number_are_of_one_file)
{
	bool stop = false;
	struct stat passwd, group;
	unsigned seen[2] = { 0 };
	pthread_t thread;

	ck_assert(!stat("/etc/passwd", &passwd) && !stat("/etc/group", &group));
	fixture_fd(P, 3, "/proc/self/fd/200", 0, O_RDONLY);
	ck_assert_int_eq(pthread_create(&thread, NULL, take_turns, &stop), 0);
	for (int i = 0; i < 1000000 && (i < 20000 || !seen[0] || !seen[1]); i++) {
		if (!procfs_fd(PROC, P, 3, false, &file))
			continue;
		seen[!strcmp(file.path, "/etc/group")]++;
		ck_assert_uint_eq(file.ino,
				  strcmp(file.path, "/etc/group") ? passwd.st_ino : group.st_ino);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ck_assert(seen[0] && seen[1]);
}
END_TEST

START_TEST(pseudo_file_system_is_in_scope_only_when_asked_for)
{
	fixture_fd(P, 3, "/proc/version", 0, O_RDONLY);
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_int_eq(file.scope, SCOPE_OUT);
	fixture_resolve.mounts.all_fs = true;
	ck_assert(procfs_fd(PROC, P, 3, true, &file));
	ck_assert_int_eq(file.scope, SCOPE_IN);
	/* a device stays what it is */
	fixture_fd(P, 4, "/dev/null", 0, O_RDWR);
	ck_assert(procfs_fd(PROC, P, 4, true, &file));
	ck_assert_int_eq(file.scope, SCOPE_OUT);
}
END_TEST

START_TEST(path_alone_tells_pseudo_file_systems)
{
	static const char *const out[] = { "/proc/1/stat", "/sys/kernel/notes", "/dev/pts/3" };
	static const char *const unknown[] = {
		"", "/", "/proc", "/processes/a", "/home/proc/x", "/system", "/dev/shm/a", "proc/1"
	};

	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		ck_assert_int_eq(mounts_scope_of_name(&fixture_resolve.mounts, out[i]), SCOPE_OUT);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ck_assert_int_eq(mounts_scope_of_name(&fixture_resolve.mounts, unknown[i]),
				 SCOPE_UNKNOWN);
	fixture_resolve.mounts.all_fs = true;
	ck_assert_int_eq(mounts_scope_of_name(&fixture_resolve.mounts, out[0]), SCOPE_UNKNOWN);
}
END_TEST

static void mark(void *arg, int fd)
{
	uint64_t *seen = arg;

	ck_assert(fd >= 0 && fd < 64 && !(*seen & 1ULL << fd));
	*seen |= 1ULL << fd;
}

START_TEST(each_descriptor_is_told_once)
{
	uint64_t seen = 0;

	fixture_fd(P, 0, fixture_file("a"), 0, O_RDWR);
	fixture_fd(P, 1, "pipe:[3]", 0, O_RDWR);
	fixture_fd(P, 63, fixture_file("a"), 0, O_RDWR);
	ck_assert(procfs_each_fd(PROC, P, mark, &seen));
	ck_assert(seen == (1ULL << 63 | 3));
}
END_TEST

/* ---- the real /proc ---- */

static void setup_real(void)
{
	fixture_proc_real();
}

static char scratch[] = "/tmp/iotracer-procfs-XXXXXX";

START_TEST(unlinked_file_is_marked_and_keeps_its_name)
{
	int fd;

	strcpy(scratch, "/tmp/iotracer-procfs-XXXXXX");
	fd = mkstemp(scratch);
	ck_assert_int_ge(fd, 0);
	unlink(scratch);
	ck_assert_int_eq(write(fd, "12345", 5), 5);
	ck_assert(procfs_fd(PROC, getpid(), fd, true, &file));
	ck_assert(file.deleted);
	ck_assert_str_eq(file.path, scratch);
	ck_assert_int_eq(file.pos, 5);
	ck_assert_int_eq(file.scope, SCOPE_IN);
	close(fd);
	ck_assert(!procfs_fd(PROC, getpid(), fd, true, &file));
}
END_TEST

START_TEST(file_called_deleted_is_not_unlinked)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/tmp/iotracer-procfs-%d (deleted)", getpid());
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert(procfs_fd(PROC, getpid(), fd, true, &file));
	ck_assert(!file.deleted);
	ck_assert_str_eq(file.path, name);
	unlink(name);
	ck_assert(procfs_fd(PROC, getpid(), fd, true, &file));
	ck_assert(file.deleted);
	ck_assert_str_eq(file.path, name);
	close(fd);
}
END_TEST

START_TEST(pipe_and_terminal_are_out_of_scope)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert(procfs_fd(PROC, getpid(), ends[0], true, &file));
	ck_assert_int_eq(file.scope, SCOPE_OUT);
	ck_assert_str_eq(file.path, "");
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(file_behind_a_path_is_opened_by_nobody)
{
	struct stat st;

	ck_assert(procfs_path(PROC, getpid(), false, "/usr/.", &file));
	ck_assert_int_eq(stat("/usr", &st), 0);
	ck_assert_uint_eq(file.ino, st.st_ino);
	ck_assert_str_eq(file.path, "/usr");
	ck_assert_int_eq(file.scope, SCOPE_IN);
	ck_assert(!procfs_path(PROC, getpid(), false, "/no/such/file", &file));
	ck_assert(procfs_path(PROC, getpid(), false, "/dev/null", &file));
	ck_assert_int_eq(file.scope, SCOPE_OUT);
}
END_TEST

START_TEST(foreign_path_goes_through_the_root_of_the_process)
{
	struct stat st;

	ck_assert_int_eq(stat("/usr", &st), 0);
	ck_assert(procfs_path(PROC, getpid(), true, "/usr", &file));
	ck_assert_uint_eq(file.ino, st.st_ino);
	ck_assert_str_eq(file.path, "");
	ck_assert(procfs_in_root(PROC, getpid(), "/usr", &file));
	ck_assert_str_eq(file.path, "/usr");
	ck_assert(!procfs_path(PROC, getpid(), true, "/no/such/file", &file));
}
END_TEST

START_TEST(own_parent_and_namespace_are_right)
{
	struct stat st;

	ck_assert_uint_eq(procfs_ppid(PROC, getpid()), (uint32_t)getppid());
	ck_assert_int_eq(stat("/proc/self/ns/mnt", &st), 0);
	ck_assert_uint_eq(procfs_mntns(PROC, getpid()), st.st_ino);
}
END_TEST

static TCase *made_up_case(void)
{
	TCase *tcase = tcase_create("made up");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, parent_is_read_behind_any_name, 0,
			    sizeof(stats) / sizeof(stats[0]));
	tcase_add_test(tcase, process_that_is_gone_has_nothing);
	tcase_add_test(tcase, mount_namespace_is_an_inode_number);
	tcase_add_test(tcase, working_directory_is_the_links_text);
	tcase_add_test(tcase, working_directory_that_was_removed_is_no_path);
	tcase_add_test(tcase, descriptor_of_a_file_is_in_scope);
	tcase_add_test(tcase, close_on_exec_is_told_apart_from_the_flags);
	tcase_add_test(tcase, without_info_there_is_no_position);
	tcase_add_test(tcase, odd_info_leaves_the_position_unknown);
	tcase_add_test(tcase, directory_is_in_scope);
	tcase_add_test(tcase, what_is_no_file_has_no_path);
	tcase_add_test(tcase, name_and_number_are_of_one_file);
	tcase_add_test(tcase, pseudo_file_system_is_in_scope_only_when_asked_for);
	tcase_add_test(tcase, path_alone_tells_pseudo_file_systems);
	tcase_add_test(tcase, each_descriptor_is_told_once);
	return tcase;
}

static TCase *real_case(void)
{
	TCase *tcase = tcase_create("real");

	tcase_add_checked_fixture(tcase, setup_real, NULL);
	tcase_add_test(tcase, unlinked_file_is_marked_and_keeps_its_name);
	tcase_add_test(tcase, file_called_deleted_is_not_unlinked);
	tcase_add_test(tcase, pipe_and_terminal_are_out_of_scope);
	tcase_add_test(tcase, file_behind_a_path_is_opened_by_nobody);
	tcase_add_test(tcase, foreign_path_goes_through_the_root_of_the_process);
	tcase_add_test(tcase, own_parent_and_namespace_are_right);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("procfs");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, made_up_case());
	suite_add_tcase(suite, real_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
