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
#include "resolve/other_mounts.h"

/* linux/magic.h */
#define OVERLAYFS 0x794c7630u

/* A file may be called like that, mark and all. */
static bool really_called(const char *link, const char *name)
{
	struct stat behind, named;

	return !stat(link, &behind) && !lstat(name, &named) && behind.st_ino == named.st_ino &&
	       behind.st_dev == named.st_dev;
}

/* readlink with an end */
static bool read_link(const char *link, struct procfs_file *file)
{
	ssize_t n = readlink(link, file->path, sizeof(file->path) - 1);

	file->path[n > 0 ? n : 0] = '\0';
	/* the file is there, but its path is longer than the kernel tells */
	if (n < 0 && errno == ENAMETOOLONG)
		return true;
	return n > 0;
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

struct path *procfs_name(const struct procfs_file *file, uint32_t flags)
{
	if (!file->path[0])
		return NULL;
	return path_new(file->path, strlen(file->path),
			flags | (file->path[0] == '/' ? PATH_FULL : PATH_REST));
}

/* ---- the file behind a descriptor of ours ---- */

/* An open file, of O_PATH, whose links may be asked. */
struct held {
	const struct procfs *proc;
	int fd;
	char link[40], fdinfo[40]; /* of ours */
	struct mounts_file on;
	struct iot_statx st;
	bool waits; /* whoever looks at its file system may wait: nothing but what the kernel has is asked */
};

/* Memory has names of its own kind, on mounts that are nowhere and that nobody waits for. */
static bool is_memory(const char *path)
{
	static const char *const names[] = { "/memfd:", "/SYSV", "/dev/zero", "/anon_hugepage" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(path, names[i], strlen(names[i])))
			return true;
	return false;
}

/* The mark of an unlinked file is taken off and noted. */
static void take_mark_off(const struct held *held, struct procfs_file *file)
{
	char *mark = path_deleted_mark(file->path);

	if (mark && (held->waits || !really_called(held->link, file->path))) {
		*mark = '\0';
		file->deleted = true;
	}
}

static bool is_at(const char *name, const struct iot_statx *st)
{
	struct stat now;

	return !lstat(name, &now) && now.st_ino == st->ino && major(now.st_dev) == st->dev_major &&
	       minor(now.st_dev) == st->dev_minor;
}

/*
 * The link of a file on a mount that is nowhere says "/x", as if it was below the root. Nearly always the
 * file is where its name leads, which is the cheapest to ask.
 */
static void name_from_root(const struct held *held, struct procfs_file *file)
{
	const struct mounts *mounts = held->proc->mounts;

	if (!file->path[0] || is_memory(file->path) ||
	    (!mounts_path_waits(mounts, 0, file->path) && is_at(file->path, &held->st)) ||
	    !mounts_is_nowhere(mounts, held->on.tgid, held->fdinfo))
		return;
	memmove(file->path, file->path + 1, strlen(file->path));
}

/* What its file system is called, which not every one says at once. */
static bool read_type(struct held *held, struct procfs_file *file)
{
	struct statfs fs;

	if (!held->waits && fstatfs(held->fd, &fs))
		return false;
	held->on.magic = held->waits ? 0 : fs.f_type;
	file->layered = held->on.magic == OVERLAYFS;
	file->scope = mounts_wants(held->proc->mounts, &held->on) ? SCOPE_IN : SCOPE_OUT;
	return true;
}

/* Sockets, pipes and what has no type: not traced, whatever they are on. */
static bool is_of_a_kind(mode_t mode)
{
	return S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode) || S_ISLNK(mode);
}

static bool describe(struct held *held, struct procfs_file *file)
{
	snprintf(held->link, sizeof(held->link), "/proc/self/fd/%d", held->fd);
	snprintf(held->fdinfo, sizeof(held->fdinfo), "/proc/self/fdinfo/%d", held->fd);
	if (sys_statx_fd(held->fd, &held->st) || !read_link(held->link, file))
		return false;
	file->ino = held->st.ino;
	file->dev = held->on.dev = held->st.dev_major << 20 | held->st.dev_minor;
	file->scope = SCOPE_OUT;
	if (file->path[0] == '/') {
		held->waits = !is_memory(file->path) &&
			      mounts_may_wait(held->proc->mounts, &held->on);
		take_mark_off(held, file);
	} else {
		file->path[0] = '\0'; /* pipe:[1], socket:[2], anon_inode:… */
	}
	name_from_root(held, file);
	return !is_of_a_kind(held->st.mode) || read_type(held, file);
}

/* Closes it. */
static bool describe_held(const struct procfs *proc, int fd, uint32_t tgid,
			  struct procfs_file *file)
{
	struct held held = { .proc = proc, .fd = fd };
	bool ok;

	*file = (struct procfs_file){ .pos = -1 };
	if (fd < 0)
		return false;
	held.on = (struct mounts_file){ .tgid = tgid, .fdinfo = held.fdinfo };
	ok = describe(&held, file);
	close(fd);
	return ok;
}

bool procfs_link(const struct procfs *proc, const char *link, uint32_t tgid,
		 struct procfs_file *file)
{
	return describe_held(proc, open(link, O_PATH | O_CLOEXEC), tgid, file);
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
	return mntns_of_process(proc->root, tgid);
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

/* ---- the file at a path ---- */

/* A path that leads over what may wait: only as far as the kernel has its names. */
static int open_known(int root_fd, const char *path)
{
	int fd = sys_open_cached(root_fd, path, root_fd != AT_FDCWD);

	return fd < 0 ? -1 : fd;
}

bool procfs_path(const struct procfs *proc, uint32_t tgid, bool foreign, const char *path,
		 struct procfs_file *file)
{
	bool ok;

	if (!foreign && !mounts_path_waits(proc->mounts, 0, path))
		return procfs_link(proc, path, tgid, file);
	if (!foreign)
		return describe_held(proc, open_known(AT_FDCWD, path), tgid, file);
	ok = procfs_in_root(proc, tgid, path, file);
	file->path[0] = '\0'; /* as seen from here, not from there */
	return ok;
}

bool procfs_in_root(const struct procfs *proc, uint32_t tgid, const char *path,
		    struct procfs_file *file)
{
	char name[9000];
	int root, fd;

	snprintf(name, sizeof(name), "%s/%u/root%s", proc->root, tgid, path);
	if (!mounts_path_waits(proc->mounts, tgid, path))
		return procfs_link(proc, name, tgid, file);
	snprintf(name, sizeof(name), "%s/%u/root", proc->root, tgid);
	root = open(name, O_PATH | O_CLOEXEC);
	fd = root < 0 ? -1 : open_known(root, path);
	if (root >= 0)
		close(root);
	return describe_held(proc, fd, tgid, file);
}
