/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the two loops that are easy to get wrong: writing all of a buffer, and
 * replacing a file so that a reader never sees half of it. Knows nothing of
 * what the bytes mean.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/below.h"

int file_write_all(int fd, const void *data, size_t len, size_t *done)
{
	const char *bytes = data;
	size_t at = 0;
	int err = 0;

	while (at < len && !err) {
		ssize_t n = write(fd, bytes + at, len - at);

		if (n > 0)
			at += (size_t)n;
		else if (n == 0)
			err = -ENOSPC; /* no progress and no reason: do not spin */
		else if (errno != EINTR)
			err = -errno;
	}
	if (done)
		*done = at;
	return err;
}

static int write_new(int dir_fd, const char *name, const void *data, size_t len)
{
	int fd = below_create(dir_fd, name, O_WRONLY);
	int err;

	if (fd < 0)
		return fd;
	err = file_write_all(fd, data, len, NULL);
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

int file_replace(int dir_fd, const char *name, const void *data, size_t len)
{
	char part[NAME_MAX + 1];
	int err;

	if (snprintf(part, sizeof(part), ".%s.part", name) >= (int)sizeof(part))
		return -ENAMETOOLONG;
	err = write_new(dir_fd, part, data, len);
	/* the bytes are on the disk by now: a rename that outlives a power cut names all of them */
	if (!err && renameat(dir_fd, part, dir_fd, name))
		err = -errno;
	if (err)
		unlinkat(dir_fd, part, 0);
	else
		file_sync_dir(dir_fd, ".");
	return err;
}

int file_only_regular(int fd)
{
	struct stat st;
	int err = 0;

	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	if (err)
		close(fd);
	return err ? err : fd;
}

int file_open_regular(const char *path)
{
	/* O_NONBLOCK: opening a pipe would wait for its writer before we see that it is one */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? -errno : file_only_regular(fd);
}

void file_sync_dir(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}
