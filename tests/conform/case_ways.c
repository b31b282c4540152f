/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of names given to operations: every system call by its number, and
 * every way to give it a path, the failing ones as well. The same row is told
 * for each call of an operation.
 */
#include "conform/case_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct file dir, dir2;

/* the page that no program has */
static const char *const nowhere = (const char *)8;

/* 4,299 bytes, and what a row can say of them */
static const char *long_path(bool cut)
{
	static char texts[2][4300];
	char *text = texts[cut];

	for (int i = 0; i < 4299; i++)
		text[i] = i % 50 ? 'p' : '/';
	text[cut ? 4095 : 4299] = '\0';
	return text;
}

/* ---- operations on one path: the calls ---- */

struct path_call {
	const char *op;
	long nr;
	bool based;         /* a directory's descriptor comes before the path */
	const char *target; /* comes before everything */
	long args[3];       /* behind the path */
	const char *flags;
	uint64_t size;
	void (*prepare)(const char *name); /* so that it can succeed */
};

static void prepare_file(const char *name)
{
	make_file(name, 1);
}

static void prepare_dir(const char *name)
{
	make_dir(at(name), NULL);
}

#define BUF ((long)buf)

static const struct path_call removing[] = {
#ifdef SYS_unlink
	{ "UNLINK", SYS_unlink, .prepare = prepare_file },
#endif
#ifdef SYS_rmdir
	{ "RMDIR", SYS_rmdir, .prepare = prepare_dir },
#endif
	{ "UNLINK", SYS_unlinkat, true, .prepare = prepare_file },
	{ "RMDIR", SYS_unlinkat, true, .args = { AT_REMOVEDIR }, .prepare = prepare_dir },
	{ 0 },
};

static const struct path_call creating[] = {
#ifdef SYS_mkdir
	{ "MKDIR", SYS_mkdir, .args = { 0700 }, .flags = "S_IRUSR|S_IWUSR|S_IXUSR" },
#endif
	{ "MKDIR", SYS_mkdirat, true, .args = { 01751 },
	  .flags = "S_ISVTX|S_IRUSR|S_IWUSR|S_IXUSR|S_IRGRP|S_IXGRP|S_IXOTH" },
#ifdef SYS_symlink
	{ "SYMLINK", SYS_symlink, .target = "some/../where" },
#endif
	{ "SYMLINK", SYS_symlinkat, true, .target = "/else/where" },
	{ 0 },
};

static const struct path_call entering[] = {
	{ "CHDIR", SYS_chdir, .prepare = prepare_dir },
	{ "TRUNCATE", SYS_truncate, .args = { 5 }, .size = 5, .prepare = prepare_file },
	{ 0 },
};

static const struct path_call asking[] = {
#ifdef SYS_stat
	{ "GETATTR", SYS_stat, .args = { BUF }, .prepare = prepare_file },
	{ "GETATTR", SYS_lstat, .args = { BUF }, .prepare = prepare_file },
#endif
	{ "GETATTR", SYS_newfstatat, true, .args = { BUF }, .prepare = prepare_file },
	{ "GETATTR", SYS_newfstatat, true, .args = { BUF, NOFOLLOW }, .prepare = prepare_dir },
	{ "GETATTR", SYS_statx, true, .args = { 0, 0x7ff, BUF }, .flags = "STATX_BASIC_STATS",
	  .prepare = prepare_file },
	{ 0 },
};

static const struct path_call setting_mode[] = {
#ifdef SYS_chmod
	{ "SETATTR", SYS_chmod, .args = { 0600 }, .flags = "ATTR_MODE", .prepare = prepare_file },
#endif
	{ "SETATTR", SYS_fchmodat, true, .args = { 0700 }, .flags = "ATTR_MODE",
	  .prepare = prepare_dir },
	{ "SETATTR", SYS_fchmodat2, true, .args = { 0600 }, .flags = "ATTR_MODE",
	  .prepare = prepare_file },
	{ 0 },
};

static const struct path_call setting_owner[] = {
#ifdef SYS_chown
	{ "SETATTR", SYS_chown, .args = { 0, 0 }, .flags = "ATTR_UID|ATTR_GID",
	  .prepare = prepare_file },
	{ "SETATTR", SYS_lchown, .args = { -1, 0 }, .flags = "ATTR_GID", .prepare = prepare_file },
#endif
	{ "SETATTR", SYS_fchownat, true, .args = { 0, -1, NOFOLLOW }, .flags = "ATTR_UID",
	  .prepare = prepare_file },
	{ 0 },
};

static const struct path_call setting_times[] = {
#ifdef SYS_utime
	{ "SETATTR", SYS_utime, .flags = TIMES, .prepare = prepare_file },
	{ "SETATTR", SYS_utimes, .flags = TIMES, .prepare = prepare_file },
	{ "SETATTR", SYS_futimesat, true, .flags = TIMES, .prepare = prepare_file },
#endif
	{ "SETATTR", SYS_utimensat, true, .flags = TIMES, .prepare = prepare_dir },
	{ 0 },
};

/* ---- operations on one path: the ways to give it ---- */

static long make_call(const struct path_call *c, int dirfd, const char *path)
{
	const long *a = c->args;

	if (c->target && c->based)
		return syscall(c->nr, c->target, dirfd, path);
	if (c->target)
		return syscall(c->nr, c->target, path);
	if (c->based)
		return syscall(c->nr, dirfd, path, a[0], a[1], a[2]);
	return syscall(c->nr, path, a[0], a[1], a[2]);
}

/* Makes the call and tells its row; false when this kernel does not have it, and no row of it. */
static bool try_path(const struct path_call *c, int dirfd, const char *given, const char *shown,
		     const char *status)
{
	static struct file file;
	bool slash = strstr("MKDIR RMDIR CHDIR", c->op) && *shown;
	struct row row = {
		.op = c->op, .file = &file, .size = c->size, .offset = NO_OFFSET, .flags = c->flags
	};

	file.fd = -1;
	file.status = status;
	/* half of two names: how it shows is left open */
	if (c->target && strcmp(status, "f") && strcmp(status, "ft")) {
		snprintf(file.path, sizeof(file.path), "*");
		file.status = NULL;
	} else {
		snprintf(file.path, sizeof(file.path), "%s%s%s%s", c->target ? c->target : "",
			 c->target ? " -> " : "", shown, slash ? "/" : "");
	}
	row.rc = make_call(c, dirfd, given);
	if (row.rc == -1 && errno == ENOSYS)
		return false;
	expect_row(&row);
	return true;
}

static const char *below(const char *base, const char *name)
{
	static char texts[4][64];
	static unsigned n;

	n = (n + 1) % 4;
	snprintf(texts[n], sizeof(texts[n]), "%s/%s", base, name);
	return texts[n];
}

static void failing_ways(const struct path_call *c, const char *base)
{
	enter(at(base), NULL);
	try_path(c, -1, at("none/below"), at("none/below"), "f");
	try_path(c, AT_FDCWD, "none/below", at(below(base, "none/below")), "f");
	try_path(c, AT_FDCWD, "", "", "n");
	try_path(c, AT_FDCWD, nowhere, "", "n");
	try_path(c, AT_FDCWD, long_path(false), long_path(true), "ft");
	if (c->based)
		try_path(c, 999, "x", "x", "r");
}

static void every_way(const struct path_call *c, const char *base)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	char dotted[64];

	make_dir(at(base), NULL);
	for (int i = 0; i < 4 && c->prepare; i++)
		c->prepare(below(base, names[i]));
	if (!try_path(c, -1, at(below(base, "a")), at(below(base, "a")), "f")) {
		skip("no system call %ld here", c->nr);
		return;
	}
	enter(at(base), NULL);
	try_path(c, AT_FDCWD, "b", at(below(base, "b")), "f");
	enter(at(base), NULL);
	snprintf(dotted, sizeof(dotted), "..//%s/./c", base);
	try_path(c, AT_FDCWD, dotted, at(below(base, "c")), "f");
	enter(at(""), NULL);
	if (c->based) {
		open_at(&dir, AT_FDCWD, at(base), NULL, O_RDONLY | O_DIRECTORY);
		try_path(c, dir.fd, "d", at(below(base, "d")), "f");
		close_file(&dir);
	}
	failing_ways(c, base);
}

static void all_ways(const struct path_call *calls)
{
	char base[] = "0";

	for (; calls->op; calls++, base[0]++)
		every_way(calls, base);
}

static void ways_to_remove(void)
{
	all_ways(removing);
}
static void ways_to_create(void)
{
	all_ways(creating);
}
static void ways_to_enter(void)
{
	all_ways(entering);
}
static void ways_to_ask(void)
{
	all_ways(asking);
}
static void ways_to_set_mode(void)
{
	all_ways(setting_mode);
}
static void ways_to_set_owner(void)
{
	all_ways(setting_owner);
}
static void ways_to_set_times(void)
{
	all_ways(setting_times);
}

/* ---- operations on two paths ---- */

struct two_call {
	const char *op;
	long nr;
	bool based;
	long flags;
	const char *shown_flags;
};

static const struct two_call two_calls[] = {
#ifdef SYS_rename
	{ "RENAME", SYS_rename, .based = false },
#endif
#ifdef SYS_renameat
	{ "RENAME", SYS_renameat, .based = true },
#endif
	{ "RENAME", SYS_renameat2, .based = true },
	{ "RENAME", SYS_renameat2, true, RENAME_NOREPLACE, "RENAME_NOREPLACE" },
#ifdef SYS_link
	{ "LINK", SYS_link, .based = false },
#endif
	{ "LINK", SYS_linkat, .based = true },
	{ 0 },
};

static long call_two(const struct two_call *c, int dirfd, const char *from, int dirfd2,
		     const char *to)
{
	return c->based ? syscall(c->nr, dirfd, from, dirfd2, to, c->flags) :
			  syscall(c->nr, from, to);
}

static void try_two(const struct two_call *c, int dirfd, const char *from, int dirfd2,
		    const char *to, const char *shown, const char *shown2)
{
	expect_two(c->op, shown, shown2, c->shown_flags, call_two(c, dirfd, from, dirfd2, to));
}

/* The two names as a row has them when one is not known, or not in full. */
static void fail_two(const struct two_call *c, int dirfd, const char *from, int dirfd2,
		     const char *to, const char *shown, const char *status)
{
	expect_named(c->op, shown, status, c->shown_flags, call_two(c, dirfd, from, dirfd2, to));
}

static void failing_two(const struct two_call *c, const char *base)
{
	const char *gone = at(below(base, "q/none")), *there = at(below(base, "p/e"));
	static char pair[20000];

	try_two(c, -1, gone, -1, at("x"), gone, at("x"));
	try_two(c, -1, there, -1, at("none/x"), there, at("none/x"));
	/* onto what is there: LINK and RENAME_NOREPLACE refuse, the others do it */
	try_two(c, -1, there, -1, at(below(base, "q/a")), there, at(below(base, "q/a")));
	/* one that is not known is empty, and makes the pair known in part */
	fail_two(c, AT_FDCWD, nowhere, AT_FDCWD, nowhere, "", "n");
	snprintf(pair, sizeof(pair), "%s -> ", there);
	fail_two(c, AT_FDCWD, there, AT_FDCWD, nowhere, pair, "r");
	snprintf(pair, sizeof(pair), " -> %s", there);
	fail_two(c, AT_FDCWD, nowhere, AT_FDCWD, there, pair, "r");
	fail_two(c, AT_FDCWD, "", AT_FDCWD, there, pair, "r");
	snprintf(pair, sizeof(pair), "%s -> %s", there, long_path(true));
	fail_two(c, AT_FDCWD, there, AT_FDCWD, long_path(false), pair, "ft");
	if (c->based) {
		fail_two(c, 999, "x", 999, "y", "x -> y", "r");
		snprintf(pair, sizeof(pair), "%s -> y", there);
		fail_two(c, AT_FDCWD, there, 999, "y", pair, "r");
	}
}

static void every_two(const struct two_call *c, const char *base)
{
	static const char *const names[] = { "p/a", "p/b", "p/c", "p/d", "p/e" };

	make_dir(at(base), NULL);
	make_dir(at(below(base, "p")), NULL);
	make_dir(at(below(base, "q")), NULL);
	for (int i = 0; i < 5; i++)
		make_file(below(base, names[i]), 1);
	try_two(c, -1, at(below(base, "p/a")), -1, at(below(base, "q/a")), at(below(base, "p/a")),
		at(below(base, "q/a")));
	enter(at(below(base, "p")), NULL);
	try_two(c, AT_FDCWD, "b", AT_FDCWD, "../q/b", at(below(base, "p/b")),
		at(below(base, "q/b")));
	if (c->based) {
		open_at(&dir, AT_FDCWD, ".", at(below(base, "p")), O_RDONLY | O_DIRECTORY);
		open_at(&dir2, AT_FDCWD, "../q", at(below(base, "q")), O_RDONLY | O_PATH);
		enter(at(""), NULL);
		try_two(c, dir.fd, "c", dir2.fd, "c", at(below(base, "p/c")),
			at(below(base, "q/c")));
		try_two(c, AT_FDCWD, at(below(base, "p/d")), dir2.fd, "d", at(below(base, "p/d")),
			at(below(base, "q/d")));
		close_file(&dir2);
		close_file(&dir);
	}
	failing_two(c, base);
}

static void ways_of_two(void)
{
	char base[] = "0";

	for (const struct two_call *c = two_calls; c->op; c++, base[0]++)
		every_two(c, base);
}

const struct conform_case way_cases[] = {
	{ "ways_to_remove", ways_to_remove },
	{ "ways_to_create", ways_to_create },
	{ "ways_to_enter", ways_to_enter },
	{ "ways_to_ask", ways_to_ask },
	{ "ways_to_set_mode", ways_to_set_mode },
	{ "ways_to_set_owner", ways_to_set_owner },
	{ "ways_to_set_times", ways_to_set_times },
	{ "ways_of_two", ways_of_two },
	{ 0 },
};
