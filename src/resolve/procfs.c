/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the forms that these files have in all versions of the kernel. */
#include "resolve/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "compat/sys/sys.h"

/* linux/magic.h */
#define OVERLAYFS 0x794c7630u

static uint32_t kernel_dev(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

/* tgid and fdinfo as for procfs_link */
static void fill_identity(const struct procfs *proc, struct procfs_file *file,
			  const struct stat *st, const struct statfs *fs, uint32_t tgid,
			  const char *fdinfo)
{
	bool kind = S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode) ||
		    S_ISLNK(st->st_mode);
	struct mounts_file on = {
		.dev = kernel_dev(st->st_dev),
		.magic = fs->f_type,
		.tgid = tgid,
		.fdinfo = fdinfo,
	};

	file->ino = st->st_ino;
	file->dev = on.dev;
	file->layered = (uint32_t)fs->f_type == OVERLAYFS;
	file->scope = kind && mounts_wants(proc->mounts, &on) ? SCOPE_IN : SCOPE_OUT;
}

/* A file may be called like that, mark and all. */
static bool really_called(const char *link, const char *name)
{
	struct stat behind, named;

	return !stat(link, &behind) && !lstat(name, &named) && behind.st_ino == named.st_ino &&
	       behind.st_dev == named.st_dev;
}

char *procfs_deleted_mark(char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path);
	char *at = path + len - (sizeof(mark) - 1);

	return len >= sizeof(mark) && !strcmp(at, mark) ? at : NULL;
}

/* readlink with an end; the mark of an unlinked file is taken off and noted. */
static bool read_link(const char *link, struct procfs_file *file)
{
	ssize_t n = readlink(link, file->path, sizeof(file->path) - 1);
	char *mark;

	file->path[n > 0 ? n : 0] = '\0';
	/* the file is there, but its path is longer than the kernel tells */
	if (n < 0 && errno == ENAMETOOLONG)
		return true;
	if (n <= 0)
		return false;
	mark = procfs_deleted_mark(file->path);
	if (mark && !really_called(link, file->path)) {
		*mark = '\0';
		file->deleted = true;
	}
	if (file->path[0] != '/')
		file->path[0] = '\0'; /* pipe:[1], socket:[2], anon_inode:… */
	return true;
}

/* The number behind "key:\t" in the text of a proc file, read in the given base. */
static bool text_number(const char *text, const char *key, int base, uint64_t *value)
{
	const char *at = strstr(text, key);

	if (!at)
		return false;
	*value = strtoull(at + strlen(key), NULL, base);
	return true;
}

uint32_t procfs_ppid(const struct procfs *proc, uint32_t tgid)
{
	char name[300], text[1024], *at;

	snprintf(name, sizeof(name), "%s/%u/stat", proc->root, tgid);
	if (!sys_read_text(name, text, sizeof(text)))
		return 0;
	at = strrchr(text, ')'); /* the name may hold blanks and brackets */
	if (!at || strlen(at) < 5)
		return 0;
	return strtoul(at + 4, NULL, 10);
}

bool procfs_cgroup(const struct procfs *proc, uint32_t tgid, char *text, size_t size)
{
	char name[300];

	snprintf(name, sizeof(name), "%s/%u/cgroup", proc->root, tgid);
	return sys_read_text(name, text, size);
}

static bool is_at(const char *name, const struct stat *st)
{
	struct stat now;

	return !lstat(name, &now) && now.st_ino == st->st_ino && now.st_dev == st->st_dev;
}

/*
 * The link of a file on a mount that is nowhere says "/x", as if it was below the root. Nearly always the
 * file is where its name leads, which is the cheapest to ask. Memory has names of its own kind.
 */
static void name_from_root(const struct procfs *proc, struct procfs_file *file,
			   const struct stat *st, uint32_t tgid, const char *fdinfo)
{
	char name[sizeof(file->path) + 300];

	snprintf(name, sizeof(name), "%s/%u/root%s", proc->root, tgid, file->path);
	if (!file->path[0] || !strncmp(file->path, "/memfd:", strlen("/memfd:")) ||
	    is_at(file->path, st) || is_at(name, st) ||
	    !mounts_is_nowhere(proc->mounts, tgid, fdinfo))
		return;
	memmove(file->path, file->path + 1, strlen(file->path));
}

struct path *procfs_name(const struct procfs_file *file, uint32_t flags)
{
	if (!file->path[0])
		return NULL;
	return path_new(file->path, strlen(file->path),
			flags | (file->path[0] == '/' ? PATH_FULL : PATH_REST));
}

bool procfs_link(const struct procfs *proc, const char *link, uint32_t tgid,
		 struct procfs_file *file)
{
	int fd = open(link, O_PATH | O_CLOEXEC);
	char held[64], info[64];
	struct stat st;
	struct statfs fs;
	bool ok;

	*file = (struct procfs_file){ .pos = -1 };
	if (fd < 0)
		return false;
	snprintf(held, sizeof(held), "/proc/self/fd/%d", fd);
	snprintf(info, sizeof(info), "/proc/self/fdinfo/%d", fd);
	ok = !fstat(fd, &st) && !fstatfs(fd, &fs) && read_link(held, file);
	if (ok) {
		name_from_root(proc, file, &st, tgid, info);
		fill_identity(proc, file, &st, &fs, tgid, info);
	}
	close(fd);
	return ok;
}

bool procfs_directory(const struct procfs *proc, uint32_t tgid, const char *which,
		      struct procfs_file *file)
{
	char name[300];

	snprintf(name, sizeof(name), "%s/%u/%s", proc->root, tgid, which);
	return procfs_link(proc, name, tgid, file) && file->path[0] == '/';
}

uint32_t procfs_mntns(const struct procfs *proc, uint32_t tgid)
{
	char name[300];
	struct stat st;

	snprintf(name, sizeof(name), "%s/%u/ns/mnt", proc->root, tgid);
	return stat(name, &st) ? 0 : st.st_ino;
}

uint32_t procfs_find_thread(const struct procfs *proc, uint32_t tgid,
			    bool (*fn)(void *arg, uint32_t tid), void *arg)
{
	struct dirent *entry;
	uint32_t found = 0;
	char name[300];
	DIR *dir;

	snprintf(name, sizeof(name), "%s/%u/task", proc->root, tgid);
	dir = opendir(name);
	while (dir && !found && (entry = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid && fn(arg, tid))
			found = tid;
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool has_namespaces(void *arg, uint32_t tid)
{
	return procfs_mntns(arg, tid);
}

uint32_t procfs_living(const struct procfs *proc, uint32_t tgid)
{
	uint32_t tid = procfs_mntns(proc, tgid) ?
			       tgid :
			       procfs_find_thread(proc, tgid, has_namespaces, (void *)proc);

	return tid ? tid : tgid;
}

static void read_fdinfo(const struct procfs *proc, uint32_t tgid, int fd, struct procfs_file *file)
{
	char name[300], text[2048];
	uint64_t value;

	snprintf(name, sizeof(name), "%s/%u/fdinfo/%d", proc->root, tgid, fd);
	if (!sys_read_text(name, text, sizeof(text)))
		return;
	if (text_number(text, "pos:\t", 10, &value))
		file->pos = value;
	if (text_number(text, "flags:\t", 8, &value)) {
		file->cloexec = value & O_CLOEXEC;
		file->flags = value & ~(uint64_t)O_CLOEXEC;
	}
}

bool procfs_fd(const struct procfs *proc, uint32_t tgid, int fd, bool with_info,
	       struct procfs_file *file)
{
	char name[300];

	snprintf(name, sizeof(name), "%s/%u/fd/%d", proc->root, tgid, fd);
	if (!procfs_link(proc, name, tgid, file))
		return false;
	if (with_info)
		read_fdinfo(proc, tgid, fd, file);
	return true;
}

bool procfs_has_fd(const struct procfs *proc, uint32_t tgid, int fd)
{
	char name[300];
	struct stat st;

	snprintf(name, sizeof(name), "%s/%u/fd/%d", proc->root, tgid, fd);
	return !lstat(name, &st);
}

bool procfs_each_fd(const struct procfs *proc, uint32_t tgid, void (*fn)(void *arg, int fd),
		    void *arg)
{
	char name[300];
	struct dirent *entry;
	DIR *dir;

	snprintf(name, sizeof(name), "%s/%u/fd", proc->root, tgid);
	dir = opendir(name);
	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			fn(arg, atoi(entry->d_name));
	closedir(dir);
	return true;
}

bool procfs_path(const struct procfs *proc, uint32_t tgid, bool foreign, const char *path,
		 struct procfs_file *file)
{
	bool ok;

	if (!foreign)
		return procfs_link(proc, path, tgid, file);
	ok = procfs_in_root(proc, tgid, path, file);
	file->path[0] = '\0'; /* as seen from here, not from there */
	return ok;
}

bool procfs_in_root(const struct procfs *proc, uint32_t tgid, const char *path,
		    struct procfs_file *file)
{
	char name[9000];

	snprintf(name, sizeof(name), "%s/%u/root%s", proc->root, tgid, path);
	return procfs_link(proc, name, tgid, file);
}
