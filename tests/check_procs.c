/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and descriptors, followed by hand through a made-up /proc: who
 * shares what, where a position is, which close is the last, and what records
 * older than /proc's answer may not change.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "procs.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture_proc.h"
#include "fixture_record.h"

/* beyond what a kernel gives out, so that no real process is asked about */
enum { P = 5000001, CHILD = 5000002, OTHER = 5000003, GONE = 5000099 };
enum { CLONE_FILES_BIT = 0x400 };

static struct procs *procs;
static struct desc out;
static struct { char path[4200]; int fd; } closed[64];
static unsigned n_closed;

static void on_close(void *arg, const struct procs_close *close)
{
	ck_assert_ptr_eq(arg, closed);
	ck_assert_uint_lt(n_closed, 64);
	snprintf(closed[n_closed].path, sizeof(closed[0].path), "%s",
		 close->desc->path ? close->desc->path->raw : "");
	closed[n_closed++].fd = close->fd;
}

static void setup(void)
{
	fixture_proc_open();
	fixture_process(P, 77, "prog");
	n_closed = 0;
	procs = procs_open(true, on_close, closed);
	ck_assert(procs != NULL);
}

static void teardown(void)
{
	procs_shut(procs);
	fixture_proc_close();
}

/* ---- what programs do ---- */

static const struct desc *open_path(uint32_t tgid, int fd, const char *name, uint32_t flags)
{
	struct io_fs rec = record_fs(tgid, IO_OPEN, -1, fd);
	struct path *text = path_new(name, strlen(name), 0), *path;
	const struct desc *desc;

	rec.flags = flags;
	path = procs_resolve(procs, tgid, AT_FDCWD, text);
	desc = procs_opened(procs, &rec, path);
	path_put(path);
	path_put(text);
	return desc;
}

/* A process that is known already opens a file of the fixture, and /proc knows it. */
static const struct desc *open_file(uint32_t tgid, int fd, const char *name, uint32_t flags)
{
	procs_mntns(procs, tgid);
	fixture_fd(tgid, fd, fixture_file(name), 0, flags);
	return open_path(tgid, fd, fixture_file(name), flags);
}

static void state(uint32_t tgid, uint16_t op, int fd, int64_t ret, uint32_t flags)
{
	struct io_fs rec = record_fs(tgid, op, fd, ret);

	rec.flags = flags;
	procs_state(procs, &rec, NULL);
}

static void change_directory(uint32_t tgid, const char *to)
{
	struct io_fs rec = record_fs(tgid, IO_CHDIR, -1, 0);
	struct path *text = path_new(to, strlen(to), 0);
	struct path *path = procs_resolve(procs, tgid, AT_FDCWD, text);

	procs_state(procs, &rec, path);
	path_put(path);
	path_put(text);
}

static bool close_fd(uint32_t tgid, int fd)
{
	struct io_fs rec = record_fs(tgid, IO_CLOSE, fd, 0);

	return procs_closed(procs, &rec, &out);
}

static struct desc *desc_of(uint32_t tgid, int fd)
{
	return procs_desc(procs, tgid, fd, record_later());
}

static int64_t move(uint32_t tgid, uint16_t op, int fd, int64_t ret)
{
	struct io_fs rec = record_fs(tgid, op, fd, ret);
	struct desc *desc = desc_of(tgid, fd);

	ck_assert(desc != NULL);
	return procs_move(desc, &rec);
}

static void expect_path(const struct desc *desc, const char *name)
{
	ck_assert(desc != NULL && desc->path != NULL);
	ck_assert_str_eq(desc->path->raw, fixture_file(name));
}

static void expect_closed(unsigned i, int fd, const char *name)
{
	ck_assert_uint_lt(i, n_closed);
	ck_assert_int_eq(closed[i].fd, fd);
	ck_assert_str_eq(closed[i].path, fixture_file(name));
}

static const char *resolve(uint32_t tgid, int dirfd, const char *name)
{
	static struct path *last;
	struct path *text = path_new(name, strlen(name), 0);

	path_put(last);
	last = procs_resolve(procs, tgid, dirfd, text);
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
	ck_assert(procs_resolve(procs, P, AT_FDCWD, NULL) == NULL);
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
	state(P, IO_CHDIR, 5, 0, 0);
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "/usr/x");
	state(P, IO_CHDIR, 99, 0, 0);
	ck_assert_str_eq(resolve(P, AT_FDCWD, "x"), "x");
}
END_TEST

START_TEST(failed_chdir_changes_nothing)
{
	struct io_fs rec = record_fs(P, IO_CHDIR, -1, -2);
	struct path *text = path_new("/no/such", 8, 0);

	fixture_cwd(P, "/usr");
	procs_mntns(procs, P);
	procs_state(procs, &rec, text);
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

/* ---- open ---- */

START_TEST(opened_file_is_described)
{
	const struct desc *desc = open_file(P, 3, "a",
					    O_RDWR | O_CREAT | O_TRUNC | O_EXCL | O_APPEND);
	struct stat st;

	fixture_file_stat("a", &st);
	expect_path(desc, "a");
	ck_assert_uint_eq(desc->ino, st.st_ino);
	ck_assert_uint_eq(desc->dev, fixture_dev(&st));
	ck_assert_int_eq(desc->scope, SCOPE_IN);
	ck_assert_uint_eq(desc->flags, O_RDWR | O_APPEND);
	ck_assert_int_eq(desc->pos, 0);
	ck_assert_ptr_eq(desc_of(P, 3), desc);
}
END_TEST

START_TEST(file_that_is_closed_by_now_is_found_by_its_path)
{
	const struct desc *desc = open_path(P, 3, fixture_file("a"), O_RDONLY);
	struct stat st;

	fixture_file_stat("a", &st);
	expect_path(desc, "a");
	ck_assert_uint_eq(desc->ino, st.st_ino);
}
END_TEST

START_TEST(number_taken_by_another_file_does_not_mislead)
{
	const struct desc *desc;
	struct stat st;

	fixture_file_stat("a", &st);
	fixture_fd(P, 3, fixture_file("b"), 0, O_RDONLY);
	procs_mntns(procs, P);
	desc = open_path(P, 3, fixture_file("a"), O_RDONLY);
	expect_path(desc, "a");
	ck_assert_uint_eq(desc->ino, st.st_ino);
}
END_TEST

START_TEST(file_that_is_gone_keeps_the_path_that_was_given)
{
	const struct desc *desc = open_path(P, 3, "/no/such/file", O_RDONLY);

	ck_assert(desc != NULL);
	ck_assert_str_eq(desc->path->raw, "/no/such/file");
	ck_assert_uint_eq(desc->ino, 0);
	ck_assert_int_eq(desc->scope, SCOPE_UNKNOWN);
	desc = open_path(P, 3, "/proc/99999999/stat", O_RDONLY);
	ck_assert_int_eq(desc->scope, SCOPE_OUT);
}
END_TEST

START_TEST(symbolic_link_is_told_by_what_it_leads_to)
{
	const struct desc *desc;
	char link[4200];

	snprintf(link, sizeof(link), "%.4000s.link", fixture_file("a"));
	ck_assert_int_eq(symlink(fixture_file("a"), link), 0);
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	desc = open_path(P, 3, link, O_RDONLY);
	expect_path(desc, "a");
}
END_TEST

START_TEST(file_of_the_kernels_record_is_believed)
{
	struct io_fs rec = record_fs(P, IO_OPEN, -1, 3);
	struct path *path = path_new("/from/kernel", 12, PATH_FULL);
	const struct desc *desc;

	rec.status = IO_ST_FILE;
	rec.ino = 123;
	rec.dev = 8 << 20 | 1;
	desc = procs_opened(procs, &rec, path);
	ck_assert(desc != NULL);
	ck_assert_ptr_eq(desc->path, path);
	ck_assert_uint_eq(desc->ino, 123);
	ck_assert_uint_eq(desc->dev, 8 << 20 | 1);
	ck_assert_int_eq(desc->scope, SCOPE_IN);
	path_put(path);
}
END_TEST

START_TEST(descriptor_from_before_is_read_from_proc)
{
	struct desc *desc;

	fixture_fd(P, 4, fixture_file("a"), 500, O_RDWR);
	desc = desc_of(P, 4);
	expect_path(desc, "a");
	ck_assert_int_eq(desc->pos, 500);
	ck_assert_uint_eq(desc->path->flags, PATH_FULL | PATH_PROC);
	ck_assert_int_eq(move(P, IO_READ, 4, 10), 500);
	ck_assert_int_eq(move(P, IO_READ, 4, 10), 510);
}
END_TEST

START_TEST(descriptor_that_appears_later_is_read_from_proc)
{
	procs_mntns(procs, P);
	fixture_fd(P, 4, fixture_file("a"), 500, O_RDWR);
	expect_path(desc_of(P, 4), "a");
}
END_TEST

START_TEST(numbers_that_are_no_descriptors_have_nothing)
{
	ck_assert(desc_of(P, -1) == NULL);
	ck_assert(desc_of(P, 3) == NULL);
	ck_assert(desc_of(P, INT32_MAX) == NULL);
	ck_assert(desc_of(P, INT32_MIN) == NULL);
	ck_assert(desc_of(GONE, 0) == NULL);
	ck_assert(close_fd(P, -1));
	ck_assert(close_fd(P, INT32_MAX));
}
END_TEST

START_TEST(opening_a_number_again_is_a_close_that_was_not_seen)
{
	open_file(P, 3, "a", O_RDONLY);
	open_file(P, 3, "b", O_RDONLY);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 3, "a");
	expect_path(desc_of(P, 3), "b");
}
END_TEST

/* ---- positions ---- */

START_TEST(reads_and_writes_move_the_position)
{
	open_file(P, 3, "a", O_RDWR);
	ck_assert_int_eq(move(P, IO_WRITE, 3, 4096), 0);
	ck_assert_int_eq(move(P, IO_READ, 3, 100), 4096);
	ck_assert_int_eq(move(P, IO_READ, 3, 0), 4196);
	ck_assert_int_eq(move(P, IO_READ, 3, -5), 4196);
	ck_assert_int_eq(move(P, IO_READ, 3, 1), 4196);
	ck_assert_int_eq(move(P, IO_READ, 3, 1), 4197);
}
END_TEST

START_TEST(lseek_sets_the_position)
{
	open_file(P, 3, "a", O_RDWR);
	state(P, IO_LSEEK, 3, 1LL << 40, 0);
	ck_assert_int_eq(move(P, IO_READ, 3, 8), 1LL << 40);
	state(P, IO_LSEEK, 3, -22, 0);
	ck_assert_int_eq(move(P, IO_READ, 3, 8), (1LL << 40) + 8);
	state(P, IO_LSEEK, 3, 0, 0);
	ck_assert_int_eq(move(P, IO_READ, 3, 8), 0);
}
END_TEST

START_TEST(appending_write_leaves_the_position_unknown_until_the_next_lseek)
{
	open_file(P, 3, "a", O_WRONLY | O_APPEND);
	ck_assert_int_eq(move(P, IO_WRITE, 3, 10), -1);
	ck_assert_int_eq(move(P, IO_READ, 3, 10), -1);
	state(P, IO_LSEEK, 3, 5, 0);
	ck_assert_int_eq(move(P, IO_READ, 3, 10), 5);
	ck_assert_int_eq(move(P, IO_WRITE, 3, 10), -1);
}
END_TEST

START_TEST(only_writes_to_appending_descriptors_append)
{
	struct io_fs write = record_fs(P, IO_WRITE, 3, 1), read = record_fs(P, IO_READ, 3, 1);
	struct desc desc = { .flags = O_WRONLY | O_APPEND };

	ck_assert(procs_appends(&desc, &write));
	ck_assert(!procs_appends(&desc, &read));
	desc.flags = O_WRONLY;
	ck_assert(!procs_appends(&desc, &write));
	desc.flags = FORMAT_NO_FLAGS;
	ck_assert(!procs_appends(&desc, &write));
}
END_TEST

START_TEST(move_by_an_unknown_amount_makes_positions_unknown)
{
	struct io_fs rec = record_fs(P, IO_MOVED, 3, 100);

	open_file(P, 3, "a", O_RDONLY);
	open_file(P, 4, "b", O_WRONLY);
	rec.head.ts = record_later();
	rec.dirfd = 4;
	procs_state(procs, &rec, NULL);
	ck_assert_int_eq(move(P, IO_READ, 3, 1), -1);
	ck_assert_int_eq(move(P, IO_WRITE, 4, 1), -1);
}
END_TEST

START_TEST(position_of_proc_is_not_for_what_came_before)
{
	struct io_fs rec = record_fs(P, IO_READ, 4, 100);
	struct desc *desc;

	fixture_fd(P, 4, fixture_file("a"), 500, O_RDWR);
	desc = desc_of(P, 4);
	rec.head.ts = RECORD_STALE;
	ck_assert_int_eq(procs_move(desc, &rec), -1);
	ck_assert_int_eq(move(P, IO_READ, 4, 1), 500);
}
END_TEST

/* ---- dup ---- */

START_TEST(duplicates_share_the_position_and_the_last_close_counts)
{
	open_file(P, 3, "a", O_RDWR);
	state(P, IO_DUP, 3, 7, 0);
	ck_assert_int_eq(move(P, IO_WRITE, 3, 10), 0);
	ck_assert_int_eq(move(P, IO_WRITE, 7, 10), 10);
	ck_assert(!close_fd(P, 3));
	expect_path(&out, "a");
	ck_assert(close_fd(P, 7));
	expect_path(&out, "a");
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(dup2_closes_what_it_lands_on)
{
	open_file(P, 3, "a", O_RDWR);
	open_file(P, 4, "b", O_RDWR);
	state(P, IO_DUP, 3, 4, 0);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
	expect_path(desc_of(P, 4), "a");
}
END_TEST

START_TEST(dup2_onto_itself_or_failed_changes_nothing)
{
	open_file(P, 3, "a", O_RDWR);
	state(P, IO_DUP, 3, 3, 0);
	state(P, IO_DUP, 3, -9, 0);
	ck_assert_uint_eq(n_closed, 0);
	ck_assert(close_fd(P, 3));
}
END_TEST

START_TEST(dup_of_an_unknown_descriptor_forgets_the_target)
{
	open_file(P, 4, "b", O_RDWR);
	fixture_fd_closed(P, 4);
	state(P, IO_DUP, 9, 4, 0);
	ck_assert_uint_eq(n_closed, 1);
	ck_assert(desc_of(P, 4) == NULL);
}
END_TEST

/* ---- fork ---- */

START_TEST(child_shares_descriptions_but_not_descriptors)
{
	open_file(P, 3, "a", O_RDWR);
	procs_fork(procs, P, CHILD, 0);
	ck_assert_int_eq(move(CHILD, IO_WRITE, 3, 10), 0);
	ck_assert_int_eq(move(P, IO_WRITE, 3, 10), 10);
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
	procs_shut(procs);
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
	state(P, IO_DUP, 4, 6, O_CLOEXEC);
	state(P, IO_CLOEXEC, 5, 0, 1);
	state(P, IO_CLOEXEC, 3, 0, 0);
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

START_TEST(exec_of_the_unknown_is_nothing)
{
	procs_exec(procs, GONE, record_later());
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

/* ---- close_range ---- */

static void close_range_of(int first, uint64_t last, uint32_t flags)
{
	struct io_fs rec = record_fs(P, IO_CLOSE_RANGE, first, 0);

	rec.size = last;
	rec.flags = flags;
	procs_state(procs, &rec, NULL);
}

START_TEST(close_range_closes_a_range)
{
	open_file(P, 3, "a", O_RDWR);
	open_file(P, 4, "b", O_RDWR);
	open_file(P, 100, "c", O_RDWR);
	close_range_of(4, 99, 0);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
	close_range_of(0, UINT32_MAX, 0);
	ck_assert_uint_eq(n_closed, 3);
	close_range_of(-1, UINT64_MAX, 0);
	close_range_of(5, 4, 0);
	ck_assert_uint_eq(n_closed, 3);
}
END_TEST

START_TEST(close_range_may_mark_only)
{
	open_file(P, 3, "a", O_RDWR);
	open_file(P, 4, "b", O_RDWR);
	close_range_of(4, UINT32_MAX, 4);
	ck_assert_uint_eq(n_closed, 0);
	procs_exec(procs, P, record_later());
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
}
END_TEST

/* ---- what is no file ---- */

START_TEST(sockets_and_pipes_are_out_of_scope)
{
	struct io_fs rec = record_fs(P, IO_NEWFD, -1, 5);

	rec.dirfd = 6;
	procs_state(procs, &rec, NULL);
	ck_assert_int_eq(desc_of(P, 5)->scope, SCOPE_OUT);
	ck_assert_int_eq(desc_of(P, 6)->scope, SCOPE_OUT);
	ck_assert(close_fd(P, 5));
	ck_assert_int_eq(out.scope, SCOPE_OUT);
	open_file(P, 6, "a", O_RDONLY);
	ck_assert_uint_eq(n_closed, 1);
	ck_assert_str_eq(closed[0].path, "");
}
END_TEST

/* ---- older than what /proc said ---- */

START_TEST(stale_changes_of_descriptors_are_ignored)
{
	struct io_fs rec = record_fs(P, IO_LSEEK, 3, 999);

	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	fixture_fd(P, 4, fixture_file("b"), 0, O_RDWR | O_CLOEXEC);
	procs_mntns(procs, P);
	rec.head.ts = RECORD_STALE;
	procs_state(procs, &rec, NULL);
	rec.op = IO_DUP;
	rec.ret = 4;
	procs_state(procs, &rec, NULL);
	procs_exec(procs, P, RECORD_STALE);
	ck_assert_uint_eq(n_closed, 0);
	expect_path(desc_of(P, 4), "b");
	ck_assert_int_eq(move(P, IO_READ, 3, 1), 500);
}
END_TEST

START_TEST(stale_close_leaves_the_descriptor_of_now)
{
	struct io_fs rec = record_fs(P, IO_CLOSE, 3, 0);

	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	procs_mntns(procs, P);
	rec.head.ts = RECORD_STALE;
	ck_assert(procs_closed(procs, &rec, &out));
	ck_assert(out.path == NULL);
	ck_assert_int_eq(out.scope, SCOPE_UNKNOWN);
	expect_path(desc_of(P, 3), "a");
}
END_TEST

static const struct desc *open_stale(int fd, const char *name, uint64_t ts)
{
	struct io_fs rec = record_fs(P, IO_OPEN, -1, fd);
	struct path *path = path_new(fixture_file(name), strlen(fixture_file(name)), PATH_FULL);
	const struct desc *desc;

	rec.head.ts = ts;
	desc = procs_opened(procs, &rec, path);
	path_put(path);
	return desc;
}

START_TEST(stale_open_of_a_file_that_is_still_open_keeps_the_position_of_now)
{
	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	expect_path(open_stale(3, "a", RECORD_STALE), "a");
	ck_assert_int_eq(move(P, IO_READ, 3, 1), 500);
}
END_TEST

START_TEST(stale_open_describes_its_own_file_not_the_one_of_now)
{
	struct stat st;

	fixture_file_stat("a", &st);
	fixture_fd(P, 3, fixture_file("b"), 500, O_RDWR);
	expect_path(open_stale(3, "a", RECORD_STALE), "a");
	expect_path(desc_of(P, 3), "b");
	ck_assert_int_eq(move(P, IO_READ, 3, 1), 500);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(stale_open_and_close_belong_together)
{
	struct io_fs rec = record_fs(P, IO_CLOSE, 3, 0);

	expect_path(open_stale(3, "a", RECORD_STALE), "a");
	rec.head.ts = RECORD_STALE + 1;
	ck_assert(procs_closed(procs, &rec, &out));
	expect_path(&out, "a");
	open_file(P, 3, "b", O_RDONLY);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(stale_lseek_leaves_a_position_that_was_read_after_it)
{
	struct io_fs rec;
	uint64_t before;

	procs_mntns(procs, P);
	usleep(1000);
	rec = record_fs(P, IO_LSEEK, 3, 7);
	before = rec.head.ts -
		 3600000000000ULL; /* after the scan, before the descriptor is looked at */
	usleep(1000);
	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	ck_assert_int_eq(desc_of(P, 3)->pos, 500);
	rec.head.ts = before;
	procs_state(procs, &rec, NULL);
	ck_assert_int_eq(move(P, IO_READ, 3, 1), 500);
}
END_TEST

START_TEST(call_around_the_reading_of_proc_makes_the_position_unknown)
{
	struct io_fs rec = record_fs(P, IO_READ, 3, 100);
	struct desc *desc;

	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	desc = desc_of(P, 3);
	rec.latency = rec.head.ts - desc->as_of + 1000; /* began before, ended after */
	ck_assert_int_eq(procs_move(desc, &rec), -1);
	ck_assert_int_eq(move(P, IO_READ, 3, 1), -1);
	state(P, IO_LSEEK, 3, 9, 0);
	ck_assert_int_eq(move(P, IO_READ, 3, 1), 9);
}
END_TEST

/* ---- the command that waits to be let go ---- */

START_TEST(stopped_process_is_known_from_the_start)
{
	struct io_fs rec = record_fs(P, IO_DUP, 3, 4);

	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	fixture_fd(P, 9, fixture_file("b"), 0, O_RDWR | O_CLOEXEC);
	procs_seed(procs, P, true);
	rec.head.ts = RECORD_STALE;
	procs_state(procs, &rec, NULL);
	expect_path(desc_of(P, 4), "a");
	ck_assert_int_eq(desc_of(P, 9)->scope, SCOPE_OUT);
	ck_assert_int_eq(desc_of(P, 3)->scope, SCOPE_IN);
}
END_TEST

START_TEST(what_the_command_inherits_is_closed_by_nobody)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	fixture_fd(P, 4, fixture_file("b"), 0, O_RDWR);
	procs_seed(procs, P, true);
	ck_assert(!close_fd(P, 3));
	procs_exit(procs, P);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(seeding_a_process_that_is_gone_is_nothing)
{
	procs_seed(procs, GONE, true);
	procs_seed(procs, GONE + 1, false);
	ck_assert(desc_of(GONE, 0) == NULL);
}
END_TEST

/* ---- without following ---- */

static void setup_unfollowed(void)
{
	setup();
	procs_shut(procs);
	procs = procs_open(false, on_close, closed);
}

START_TEST(without_following_only_parents_are_known)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	ck_assert_uint_eq(procs_ppid(procs, P), 77);
	procs_fork(procs, P, CHILD, 0);
	ck_assert_uint_eq(procs_ppid(procs, CHILD), P);
	procs_exec(procs, CHILD, record_later());
	state(P, IO_LSEEK, 3, 1, 0);
	ck_assert(close_fd(P, 3));
	procs_exit(procs, CHILD);
	procs_exit(procs, P);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(descriptor_without_a_place_is_not_told)
{
	struct io_fs rec = record_fs(P, IO_READ, 3, 1);
	struct desc *desc;

	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	desc = desc_of(P, 3);
	ck_assert(!desc || procs_move(desc, &rec) <= 0);
	open_path(P, 4, fixture_file("a"), O_RDONLY);
}
END_TEST

START_TEST(descriptor_beyond_all_bounds_is_survived)
{
	const struct desc *desc = open_path(P, 1 << 20, fixture_file("a"), O_RDONLY);

	if (desc)
		expect_path(desc, "a");
	ck_assert(close_fd(P, 1 << 20));
	fixture_fd(P, (1 << 20) + 1, fixture_file("a"), 0, O_RDONLY);
	if (desc_of(P, (1 << 20) + 1))
		ck_assert_int_eq(desc_of(P, (1 << 20) + 1)->scope, SCOPE_IN);
}
END_TEST

static TCase *case_of(const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 30);
	return tcase;
}

static TCase *processes_case(void)
{
	TCase *tcase = case_of("processes");

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

static TCase *descriptors_case(void)
{
	TCase *tcase = case_of("descriptors");

	tcase_add_test(tcase, opened_file_is_described);
	tcase_add_test(tcase, file_that_is_closed_by_now_is_found_by_its_path);
	tcase_add_test(tcase, number_taken_by_another_file_does_not_mislead);
	tcase_add_test(tcase, file_that_is_gone_keeps_the_path_that_was_given);
	tcase_add_test(tcase, symbolic_link_is_told_by_what_it_leads_to);
	tcase_add_test(tcase, file_of_the_kernels_record_is_believed);
	tcase_add_test(tcase, descriptor_from_before_is_read_from_proc);
	tcase_add_test(tcase, descriptor_that_appears_later_is_read_from_proc);
	tcase_add_test(tcase, numbers_that_are_no_descriptors_have_nothing);
	tcase_add_test(tcase, opening_a_number_again_is_a_close_that_was_not_seen);
	tcase_add_test(tcase, reads_and_writes_move_the_position);
	tcase_add_test(tcase, lseek_sets_the_position);
	tcase_add_test(tcase, appending_write_leaves_the_position_unknown_until_the_next_lseek);
	tcase_add_test(tcase, only_writes_to_appending_descriptors_append);
	tcase_add_test(tcase, move_by_an_unknown_amount_makes_positions_unknown);
	tcase_add_test(tcase, position_of_proc_is_not_for_what_came_before);
	tcase_add_test(tcase, duplicates_share_the_position_and_the_last_close_counts);
	tcase_add_test(tcase, dup2_closes_what_it_lands_on);
	tcase_add_test(tcase, dup2_onto_itself_or_failed_changes_nothing);
	tcase_add_test(tcase, dup_of_an_unknown_descriptor_forgets_the_target);
	tcase_add_test(tcase, descriptor_beyond_all_bounds_is_survived);
	return tcase;
}

static TCase *sharing_case(void)
{
	TCase *tcase = case_of("sharing");

	tcase_add_test(tcase, child_shares_descriptions_but_not_descriptors);
	tcase_add_test(tcase, clone_files_shares_the_table);
	tcase_add_test(tcase, exit_closes_what_nobody_else_has);
	tcase_add_test(tcase, shutting_down_closes_nothing);
	tcase_add_test(tcase, exec_closes_what_is_marked);
	tcase_add_test(tcase, exec_ends_the_sharing_of_a_table);
	tcase_add_test(tcase, exec_of_the_unknown_is_nothing);
	tcase_add_test(tcase, close_range_closes_a_range);
	tcase_add_test(tcase, close_range_may_mark_only);
	tcase_add_test(tcase, sockets_and_pipes_are_out_of_scope);
	return tcase;
}

static TCase *stale_case(void)
{
	TCase *tcase = case_of("stale");

	tcase_add_test(tcase, stale_changes_of_descriptors_are_ignored);
	tcase_add_test(tcase, stale_close_leaves_the_descriptor_of_now);
	tcase_add_test(tcase, stale_open_of_a_file_that_is_still_open_keeps_the_position_of_now);
	tcase_add_test(tcase, stale_open_describes_its_own_file_not_the_one_of_now);
	tcase_add_test(tcase, stale_open_and_close_belong_together);
	tcase_add_test(tcase, stale_lseek_leaves_a_position_that_was_read_after_it);
	tcase_add_test(tcase, call_around_the_reading_of_proc_makes_the_position_unknown);
	tcase_add_test(tcase, stopped_process_is_known_from_the_start);
	tcase_add_test(tcase, what_the_command_inherits_is_closed_by_nobody);
	tcase_add_test(tcase, seeding_a_process_that_is_gone_is_nothing);
	return tcase;
}

static TCase *unfollowed_case(void)
{
	TCase *tcase = tcase_create("unfollowed");

	tcase_add_checked_fixture(tcase, setup_unfollowed, teardown);
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
	suite_add_tcase(suite, descriptors_case());
	suite_add_tcase(suite, sharing_case());
	suite_add_tcase(suite, stale_case());
	suite_add_tcase(suite, unfollowed_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
