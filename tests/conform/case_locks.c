/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of locks: flock, and those of fcntl, which are the process's (POSIX) or the open file's (OFD). */
#include "conform/conform.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* linux/fcntl.h; the C library has them only with _GNU_SOURCE, and other numbers for 32-bit programs */
enum { OFD_GETLK = 36, OFD_SETLK, OFD_SETLKW };

static struct file f, g;
static struct file bad = { .fd = 999, .status = "n" };

static void whole(const struct file *file, int operation, const char *names)
{
	expect_fd("LOCK", file, 0, NO_OFFSET, names, flock(file->fd, operation));
}

static void whole_files(void)
{
	int pipes[2];

	open_file(&f, "file", O_RDWR | O_CREAT);
	open_file(&g, "file", O_RDONLY);
	whole(&f, LOCK_SH, "LOCK_SH");
	whole(&g, LOCK_SH | LOCK_NB, "LOCK_SH|LOCK_NB");
	/* another has it: EWOULDBLOCK */
	whole(&f, LOCK_EX | LOCK_NB, "LOCK_EX|LOCK_NB");
	whole(&g, LOCK_UN, "LOCK_UN");
	whole(&f, LOCK_EX, "LOCK_EX");
	whole(&f, LOCK_UN, "LOCK_UN");
	/* nothing that flock knows */
	whole(&f, 0, "NO_FLAGS");
	whole(&f, 0x10, "0x10");
	close_file(&g);
	close_file(&f);
	whole(&bad, LOCK_SH, "LOCK_SH");
	/* no file: no row */
	must(!pipe(pipes) && !flock(pipes[0], LOCK_EX), "flock of a pipe");
	must(!close(pipes[0]) && !close(pipes[1]), "close");
}

static void range(const struct file *file, int cmd, short type, int64_t start, int64_t length,
		  const char *names)
{
	struct flock lock = { .l_type = type, .l_start = start, .l_len = length };
	/* what is locked, if the length is below zero, is before the start */
	int64_t from = length < 0 ? start + length : start;

	expect_fd("LOCK", file, length < 0 ? -length : length, from, names,
		  fcntl(file->fd, cmd, &lock));
}

static void from_elsewhere(const struct file *file, short whence, int64_t start, const char *names)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = whence, .l_start = start, .l_len = 7 };

	expect_fd("LOCK", file, 7, start < 0 ? NO_OFFSET : start, names,
		  fcntl(file->fd, F_SETLK, &lock));
}

static void ranges(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	open_file(&g, "file", O_RDWR);
	set_size(&f, 1000);
	range(&f, F_SETLK, F_RDLCK, 0, 100, "F_SETLK|F_RDLCK");
	range(&f, F_SETLKW, F_WRLCK, 100, 0, "F_SETLKW|F_WRLCK");
	range(&f, F_SETLK, F_WRLCK, 0x180000000, 0x7fffffff0, "F_SETLK|F_WRLCK");
	range(&f, F_SETLK, F_UNLCK, 50, -10, "F_SETLK|F_UNLCK");
	range(&f, F_GETLK, F_WRLCK, 3, 4, "F_GETLK|F_WRLCK");
	range(&f, F_SETLK, F_UNLCK, 0, 0, "F_SETLK|F_UNLCK");
	range(&f, OFD_SETLK, F_WRLCK, 0, 10, "F_OFD_SETLK|F_WRLCK");
	range(&g, OFD_SETLK, F_RDLCK, 5, 10, "F_OFD_SETLK|F_RDLCK");
	range(&g, OFD_SETLKW, F_RDLCK, 10, 10, "F_OFD_SETLKW|F_RDLCK");
	range(&g, OFD_GETLK, F_WRLCK, 0, 0, "F_OFD_GETLK|F_WRLCK");
	from_elsewhere(&f, SEEK_CUR, 20, "F_SETLK|F_WRLCK|SEEK_CUR");
	from_elsewhere(&f, SEEK_END, -20, "F_SETLK|F_WRLCK|SEEK_END");
	/* no kind of lock; no structure; another command of fcntl is no row */
	range(&f, F_SETLK, 9, 0, 1, "F_SETLK");
	expect_fd("LOCK", &f, 0, NO_OFFSET, "F_SETLK", fcntl(f.fd, F_SETLK, (struct flock *)8));
	must(fcntl(f.fd, F_GETFL) >= 0, "fcntl");
	range(&bad, F_SETLK, F_RDLCK, 1, 2, "F_SETLK|F_RDLCK");
	close_file(&g);
	close_file(&f);
}

/* What a child locked through a descriptor that it has from its parent stays locked when it is gone. */
static void hold(void *arg)
{
	struct file *file = arg;

	must(!flock(file->fd, LOCK_EX), "flock");
	must(write(file->fd, "x", 1) == 1, "write");
}

static void inherited(void)
{
	pid_t child;
	char byte;

	open_file(&f, "file", O_RDWR | O_CREAT);
	open_file(&g, "file", O_RDWR);
	child = in_child(hold, &g);
	expect_as(child, child);
	expect_fd("LOCK", &g, 0, NO_OFFSET, "LOCK_EX", 0);
	expect("WRITE", &g, 1, 0, 1);
	expect_as(0, 0);
	expect("READ", &f, 1, 0, read(f.fd, &byte, 1));
	whole(&f, LOCK_EX | LOCK_NB, "LOCK_EX|LOCK_NB");
	close_file(&g);
	whole(&f, LOCK_EX, "LOCK_EX");
	close_file(&f);
}

const struct conform_case lock_cases[] = {
	{ "locked_files", whole_files },
	{ "locked_ranges", ranges },
	{ "inherited_locks", inherited },
	{ 0 },
};
