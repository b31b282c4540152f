/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on files of one file system fail: SOAK_CALLS of them (write, fsync, rename, open, all), SOAK_TIMES, after
 * SOAK_AFTER that did not, with SOAK_ERRNO. Preloaded into the tracer; what it starts is as without.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dev_t disk;
static char calls[16];
static int error;
static atomic_long after, times;

static void __attribute__((constructor)) begin(void)
{
	const char *place = getenv("SOAK_DISK");
	struct stat st;

	if (!place || stat(place, &st))
		return;
	strncpy(calls, getenv("SOAK_CALLS"), sizeof(calls) - 1);
	after = atol(getenv("SOAK_AFTER"));
	times = atol(getenv("SOAK_TIMES"));
	error = atoi(getenv("SOAK_ERRNO"));
	disk = st.st_dev;
	unsetenv("LD_PRELOAD");
	unsetenv("SOAK_DISK");
}

static int fails(const char *call, int fd)
{
	struct stat st;

	if (!disk || (strcmp(calls, call) && strcmp(calls, "all")) || fstat(fd, &st) ||
	    st.st_dev != disk)
		return 0;
	if (atomic_fetch_sub(&after, 1) > 0 || atomic_fetch_sub(&times, 1) <= 0)
		return 0;
	errno = error;
	return 1;
}

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t n)
{
	return fails("write", fd) ? -1 : REAL(write)(fd, data, n);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
	return fails("write", fd) ? -1 : REAL(pwrite64)(fd, data, n, at);
}

int fsync(int fd)
{
	return fails("fsync", fd) ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
	return fails("fsync", fd) ? -1 : REAL(fdatasync)(fd);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return fails("rename", to_dir) ? -1 : REAL(renameat)(from_dir, from, to_dir, to);
}

int openat64(int dir, const char *name, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
	va_end(list);
	return (flags & O_CREAT) && fails("open", dir) ? -1 :
							 REAL(openat64)(dir, name, flags, mode);
}
