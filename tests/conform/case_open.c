/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of opening: every call, every way a path can be given, and failures.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static struct file f, g, dir;

static void calls(void)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = { .flags = O_RDWR };
	long fd;

	make_file("file", 0);
	open_file(&f, "file", O_RDONLY);
	close_file(&f);
#ifdef SYS_open
	expect_open(&f, at("file"), O_RDWR, syscall(SYS_open, at("file"), O_RDWR, 0));
	close_file(&f);
	expect_open(&f, at("new"), O_WRONLY | O_CREAT | O_TRUNC,
		    syscall(SYS_creat, at("new"), 0644));
	close_file(&f);
#endif
	open_at(&dir, AT_FDCWD, at(""), NULL, O_RDONLY | O_DIRECTORY);
	open_at(&f, dir.fd, "file", at("file"), O_RDONLY);
	close_file(&f);
	fd = syscall(SYS_openat2, dir.fd, "file", &how, sizeof(how));
	if (fd >= 0) {
		expect_open(&f, at("file"), O_RDWR, fd);
		close_file(&f);
	} else {
		/* before 5.6 there is no such call, and nothing to see */
		must(errno == ENOSYS, "openat2");
		skip("no openat2 here");
	}
	close_file(&dir);
}

/* The directory is the root of the name, and ".." ends there. */
static void in_root(void)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = { .flags = O_RDONLY, .resolve = 0x10 }; /* RESOLVE_IN_ROOT */
	static const char *const names[] = { "/none", "../../none", "/../sub/../none" };
	long fd;

	make_dir(at("d"), NULL);
	make_dir(at("d/sub"), NULL);
	make_file("d/sub/file", 0);
	open_at(&dir, AT_FDCWD, at("d"), NULL, O_RDONLY | O_DIRECTORY);
	fd = syscall(SYS_openat2, dir.fd, "/sub/file", &how, sizeof(how));
	if (fd < 0) {
		must(errno == ENOSYS, "openat2");
		skip("no openat2 here");
		close_file(&dir);
		return;
	}
	expect_open(&f, at("d/sub/file"), O_RDONLY, fd);
	close_file(&f);
	expect_open(&f, at("d/sub/file"), O_RDONLY,
		    syscall(SYS_openat2, dir.fd, "../../sub/file", &how, sizeof(how)));
	close_file(&f);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		must(syscall(SYS_openat2, dir.fd, names[i], &how, sizeof(how)) < 0, "openat2");
		expect_open_failed(at("d/none"), "f", O_RDONLY);
	}
	close_file(&dir);
}

static void flags(void)
{
	int fd;

	open_file(&f, "file", O_RDWR | O_CREAT | O_EXCL);
	expect("WRITE", &f, 100, 0, write(f.fd, buf, 100));
	close_file(&f);
	open_file(&f, "file", O_RDWR | O_TRUNC);
	expect("READ", &f, 100, 0, read(f.fd, buf, 100));
	close_file(&f);
	open_file(&f, "file", O_WRONLY | O_SYNC | O_NOFOLLOW);
	expect("WRITE", &f, 10, 0, write(f.fd, buf, 10));
	close_file(&f);
	open_file(&f, "file", O_WRONLY | O_DSYNC | O_CLOEXEC);
	expect("WRITE", &f, 11, 0, write(f.fd, buf, 11));
	close_file(&f);
	open_file(&f, "file", O_RDONLY | O_PATH);
	close_file(&f);
	/* the link itself */
	make_symlink("file", at("link"));
	open_file(&f, "link", O_RDONLY | O_PATH | O_NOFOLLOW);
	settle();
	expect_fd("GETATTR", &f, 0, NO_OFFSET, NULL, syscall(SYS_fstat, f.fd, buf));
	close_file(&f);
	open_file(&f, "link", O_RDONLY | O_PATH | O_NOFOLLOW);
	close_file(&f);
	fd = open(at(""), O_RDWR | O_TMPFILE, 0600);
	if (fd < 0) {
		expect_open_failed(at(""), "f", O_RDWR | O_TMPFILE);
		skip("this file system has no O_TMPFILE");
		return;
	}
	/* a file that never had a name is not taken for its directory */
	settle();
	expect_nameless(&f, "fd", O_RDWR | O_TMPFILE, fd);
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	close_file(&f);
}

struct attempt {
	const char *path;
	int flags;
};

static void try_open(void *arg)
{
	const struct attempt *a = arg;

	_exit(setuid(65534) || open(a->path, a->flags) >= 0 || errno != EACCES);
}

static void refused(int err, const char *given, const char *shown, const char *status, int how)
{
	must(open(given, how, 0644) < 0 && errno == err, given ? given : "NULL");
	expect_open_failed(shown, status, how);
}

static void failing_opens(void)
{
	static char long_name[300], long_path[4300];
	struct attempt attempt = { .flags = O_RDONLY };

	make_file("file", 0);
	refused(ENOENT, at("none"), at("none"), "f", O_RDONLY);
	refused(ENOENT, at("none/below"), at("none/below"), "f", O_WRONLY | O_CREAT);
	refused(ENOENT, "", "", "n", O_RDONLY);
	refused(EEXIST, at("file"), at("file"), "f", O_RDWR | O_CREAT | O_EXCL);
	refused(ENOTDIR, at("file/x"), at("file/x"), "f", O_RDONLY);
	refused(EISDIR, at(""), at(""), "f", O_WRONLY);
	make_symlink("loop", at("loop"));
	refused(ELOOP, at("loop"), at("loop"), "f", O_RDONLY);
	memset(long_name, 'n', 256);
	refused(ENAMETOOLONG, at(long_name), at(long_name), "f", O_RDONLY);
	for (int i = 0; i < 4299; i++)
		long_path[i] = i % 50 ? 'p' : '/';
	must(open(long_path, O_RDONLY) < 0 && errno == ENAMETOOLONG, "long path");
	long_path[4095] = '\0';
	expect_open_failed(long_path, "ft", O_RDONLY);
	must(syscall(SYS_openat, AT_FDCWD, (void *)8, O_RDONLY, 0) < 0, "EFAULT");
	expect_open_failed("", "n", O_RDONLY);
	must(syscall(SYS_openat, 999, "x", O_RDONLY, 0) < 0, "EBADF");
	expect_open_failed("x", "r", O_RDONLY);
	if (geteuid() != 0) {
		skip("EACCES needs root to make it");
		return;
	}
	make_file("secret", 0);
	expect_path("SETATTR", at("secret"), "ATTR_MODE", chmod(at("secret"), 0600));
	attempt.path = at("secret");
	expect_as(in_child(try_open, &attempt), 0);
	errno = EACCES;
	expect_open_failed(at("secret"), "f", O_RDONLY);
	expect_as(0, 0);
}

static void relative(void)
{
	make_dir(at("a"), NULL);
	make_dir(at("a/b"), NULL);
	make_file("a/f", 0);
	make_file("a/b/g", 0);
	enter(at("a"), NULL);
	open_at(&f, AT_FDCWD, "f", at("a/f"), O_RDONLY);
	close_file(&f);
	open_at(&f, AT_FDCWD, "../a/.//f", at("a/f"), O_RDONLY);
	close_file(&f);
	open_at(&f, AT_FDCWD, "b/../b/g", at("a/b/g"), O_RDONLY);
	close_file(&f);
	enter("b", at("a/b"));
	open_at(&f, AT_FDCWD, "g", at("a/b/g"), O_RDONLY);
	close_file(&f);
	refused(ENOENT, "none", at("a/b/none"), "f", O_RDONLY);
	open_at(&dir, AT_FDCWD, "..", at("a"), O_RDONLY | O_DIRECTORY);
	expect_directory("CHDIR", &dir, NO_OFFSET, NULL, fchdir(dir.fd));
	close_file(&dir);
	open_at(&f, AT_FDCWD, "f", at("a/f"), O_RDONLY);
	close_file(&f);
	expect_path("CHDIR", at("none"), NULL, chdir(at("none")));
	open_at(&f, AT_FDCWD, "f", at("a/f"), O_RDONLY);
	close_file(&f);
	/* a device by whatever way is no file: this must not show */
	must(!close(open("/../../dev/../proc/..//dev/null", O_RDONLY | O_PATH)), "/dev/null");
	must(!close(open("/dev/null", O_RDONLY)), "/dev/null");
}

static void links(void)
{
	make_dir(at("real"), NULL);
	make_dir(at("real/sub"), NULL);
	make_file("real/f", 0);
	make_file("real/sub/g", 0);
	make_symlink("real/f", at("to_file"));
	make_symlink("real/sub", at("to_dir"));
	make_symlink(at("to_dir"), at("twice"));
	open_at(&f, AT_FDCWD, at("to_file"), at("real/f"), O_RDWR);
	expect("WRITE", &f, 3, 0, write(f.fd, buf, 3));
	close_file(&f);
	open_at(&f, AT_FDCWD, at("to_dir/g"), at("real/sub/g"), O_RDONLY);
	close_file(&f);
	open_at(&f, AT_FDCWD, at("twice/g"), at("real/sub/g"), O_RDONLY);
	close_file(&f);
	/* ".." leaves the directory that the link leads to, not the link */
	open_at(&f, AT_FDCWD, at("to_dir/../f"), at("real/f"), O_RDONLY);
	close_file(&f);
	enter(at("twice"), at("real/sub"));
	open_at(&f, AT_FDCWD, "g", at("real/sub/g"), O_RDONLY);
	close_file(&f);
	open_at(&f, AT_FDCWD, "../f", at("real/f"), O_RDONLY);
	close_file(&f);
	refused(ELOOP, at("to_file"), at("to_file"), "f", O_RDONLY | O_NOFOLLOW);
}

/* A descriptor by its name in /proc, however that is written: the file that it stands for. */
static void reopened(void)
{
	static const char *const names[] = { "/proc/self/fd/%d", "/dev/fd/%d",
					     "/proc/thread-self/fd/%d" };
	char name[64];
	long rc;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		open_file(&f, "file", O_RDWR | O_CREAT);
		snprintf(name, sizeof(name), names[i], f.fd);
		open_at(&g, AT_FDCWD, name, at("file"), O_WRONLY | O_APPEND);
		expect("WRITE", &g, 5, MAYBE_OFFSET(i * 5), write(g.fd, buf, 5));
		close_file(&f);
		close_file(&g);
	}
	make_dir(at("d"), NULL);
	open_at(&dir, AT_FDCWD, at("d"), NULL, O_RDONLY | O_DIRECTORY);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", dir.fd);
	rc = chdir(name);
	/* without headers, a name on a file system that is not traced */
	if (tier != TIER_C)
		expect_path("CHDIR", at("d"), NULL, rc);
	make_dir("below", at("d/below"));
	close_file(&dir);
}

static void deep(void)
{
	static char path[20000], part[256];
	size_t n = snprintf(path, sizeof(path), "%s", at(""));

	/* 64 directories that fit into a path */
	memset(part, 'd', 40);
	enter(path, NULL);
	for (int i = 0; i < 64; i++) {
		n += snprintf(path + n, sizeof(path) - n, "/%s", part);
		make_dir(part, path);
		enter(part, path);
	}
	n += snprintf(path + n, sizeof(path) - n, "/file");
	open_at(&f, AT_FDCWD, "file", path, O_RDWR | O_CREAT);
	expect("WRITE", &f, 3, 0, write(f.fd, buf, 3));
	close_file(&f);
	open_at(&f, AT_FDCWD, path, NULL, O_RDWR);
	expect("WRITE", &f, 3, 0, write(f.fd, buf, 3));
	close_file(&f);
}

/* A path of 16 KiB cannot be told in full: it must be marked, and its rows must be there. */
static void too_deep(void)
{
	static char part[256];

	memset(part, 'D', 255);
	enter(at(""), NULL);
	for (int i = 0; i < 64; i++) {
		expect_named("MKDIR", "*", NULL, mode_names(0755), mkdir(part, 0755));
		expect_named("CHDIR", "*", NULL, NULL, chdir(part));
	}
	expect_nameless(&f, "rt", O_RDWR | O_CREAT, open("file", O_RDWR | O_CREAT, 0644));
	expect("WRITE", &f, 3, 0, write(f.fd, buf, 3));
	close_file(&f);
}

static void read_own_status(void *arg)
{
	int fd = open("/proc/self/stat", O_RDONLY);

	(void)arg;
	if (read(fd, buf, 4096) <= 0)
		_exit(1);
}

/* A process reads about itself and is gone: no file system was asked. */
static void pseudo(void)
{
	in_child(read_own_status, NULL);
	must(open("/proc/none", O_RDONLY) < 0, "/proc/none");
}

const struct conform_case open_cases[] = {
	{ "calls", calls },
	{ "in_root", in_root },
	{ "flags", flags },
	{ "failing_opens", failing_opens },
	{ "relative", relative },
	{ "links", links },
	{ "reopened", reopened },
	{ "deep", deep },
	{ "too_deep", too_deep },
	{ "pseudo", pseudo },
	{ 0 },
};
