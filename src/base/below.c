/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the way from a directory's descriptor to a file below it. The tracer runs as root, and
 * whoever could put a link in place of a folder would choose where root writes.
 */
#include "base/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* With a list of access rights the group's bits say what any of them may at most. */
static bool others_write(int dir_fd, const struct stat *st)
{
	if (st->st_mode & S_IWOTH)
		return true;
	return (st->st_mode & S_IWGRP) &&
	       (st->st_gid != getegid() ||
		fgetxattr(dir_fd, "system.posix_acl_access", NULL, 0) > 0);
}

const char *below_not_ours(int dir_fd)
{
	struct stat st;

	if (fstat(dir_fd, &st))
		return strerror(errno);
	if (st.st_uid != geteuid())
		return "belongs to another user";
	return others_write(dir_fd, &st) ? "others can write there" : NULL;
}

/*
 * A name in a directory of everybody's (the sticky bit) is its owner's. Opened as a path
 * alone: the answer needs no right to read it.
 */
static const char *not_ours(const char *path, bool is_parent)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	const char *why = NULL;
	struct stat st;

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st))
		why = strerror(errno);
	else if (st.st_uid != geteuid())
		why = "belongs to another user";
	else if (others_write(fd, &st) && !(is_parent && (st.st_mode & S_ISVTX)))
		why = "others can write to it";
	close(fd);
	return why;
}

const char *below_name_not_ours(const char *path)
{
	char real[PATH_MAX], *slash;
	const char *why;

	if (!realpath(path, real))
		return errno == ENOENT ? NULL : strerror(errno);
	why = not_ours(real, false);
	slash = strrchr(real, '/');
	if (why || !slash)
		return why;
	slash[slash == real] = '\0';
	return not_ours(real, true) ? "others can put something else in its place" : NULL;
}

/* The folder of path, opened step by step, and the name in it. */
static int open_parent(int dir_fd, const char *path, const char **name)
{
	const char *slash;
	int fd = -1;

	while ((slash = strchr(path, '/'))) {
		size_t len = (size_t)(slash - path);
		char step[NAME_MAX + 1];
		int next;

		/* "." is refused, too: len is the step's, so that both names are compared */
		if (!len || len > NAME_MAX || !strncmp(path, "..", len)) {
			errno = EINVAL;
			next = -1;
		} else {
			memcpy(step, path, len);
			step[len] = '\0';
			next = openat(fd < 0 ? dir_fd : fd, step, FOLDER_FLAGS);
		}
		if (fd >= 0)
			close(fd);
		if (next < 0)
			return -errno;
		fd = next;
		path = slash + 1;
	}
	*name = path;
	if (fd < 0)
		fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* The kernel gives what is made in such a directory its group; the rest of the rights is left to us. */
static bool is_shared(int dir_fd)
{
	struct stat st;

	return !fstat(dir_fd, &st) && (st.st_mode & S_ISGID) && (st.st_mode & S_IRGRP);
}

int below_share(int dir_fd, gid_t group)
{
	struct stat st;

	if (fchown(dir_fd, (uid_t)-1, group) || fchmod(dir_fd, S_ISGID | 0750) ||
	    fstat(dir_fd, &st))
		return -errno;
	/* file systems without rights say yes to everything */
	return st.st_gid == group && is_shared(dir_fd) ? 0 : -EOPNOTSUPP;
}

int below_folder(int dir_fd, const char *name)
{
	bool made = !mkdirat(dir_fd, name, 0700);
	int fd, err = 0;

	if (!made && errno != EEXIST)
		return -errno;
	fd = openat(dir_fd, name, FOLDER_FLAGS);
	if (fd < 0)
		return errno == ELOOP ? -ENOTDIR : -errno;
	if (below_not_ours(fd))
		err = -EPERM;
	else if (made && is_shared(dir_fd) && fchmod(fd, S_ISGID | 0750))
		err = -errno;
	if (err)
		close(fd);
	return err ? err : fd;
}

int below_open(int dir_fd, const char *path, int flags)
{
	const char *name;
	int parent = open_parent(dir_fd, path, &name);
	int fd;

	if (parent < 0)
		return parent;
	fd = openat(parent, name, flags | O_NOFOLLOW | O_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	close(parent);
	return fd;
}

int below_create(int dir_fd, const char *path, int flags)
{
	const char *name;
	int parent = open_parent(dir_fd, path, &name);
	int fd, err = 0;

	if (parent < 0)
		return parent;
	/* also a link: what it leads to stays as it is */
	unlinkat(parent, name, 0);
	fd = openat(parent, name, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		err = -errno;
	/* not by openat: the umask would take the group's bit away */
	else if (is_shared(parent) && fchmod(fd, 0640))
		err = -errno;
	if (err && fd >= 0) {
		close(fd);
		unlinkat(parent, name, 0);
	}
	close(parent);
	return err ? err : fd;
}

int below_rename(int dir_fd, const char *from, const char *to)
{
	const char *from_name, *to_name;
	int old = open_parent(dir_fd, from, &from_name), new;
	int err;

	if (old < 0)
		return old;
	new = open_parent(dir_fd, to, &to_name);
	if (new < 0)
		err = new;
	else
		err = renameat(old, from_name, new, to_name) ? -errno : 0;
	if (new >= 0)
		close(new);
	close(old);
	return err;
}

int below_unlink(int dir_fd, const char *path)
{
	const char *name;
	int parent = open_parent(dir_fd, path, &name);
	int err;

	if (parent < 0)
		return parent;
	err = unlinkat(parent, name, 0) ? -errno : 0;
	close(parent);
	return err;
}

int below_stat(int dir_fd, const char *path, struct stat *st)
{
	const char *name;
	int parent = open_parent(dir_fd, path, &name);
	int err;

	if (parent < 0)
		return parent;
	err = fstatat(parent, name, st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
	close(parent);
	return err;
}
