/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the way down: an open directory for each level above where it is, as
 * many as SNAP_MAX_DEPTH. A directory is entered through a descriptor of the one
 * above, and judged by what was really opened, so that whoever moves trees about
 * meanwhile leads it nowhere.
 */
#include "snapshot/snap_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "probes/schema/pseudo_fs.def"

#define AUTOFS_MAGIC 0x187 /* looking into it mounts what is there: linux/magic.h */

struct level {
	DIR *dir;
	size_t len; /* of its path, with the slash that entries follow */
	uint64_t ino;
	uint64_t dev;
};

struct walk {
	const struct snap_options *options;
	walk_fn *fn;
	void *arg;
	struct snap_done *counts;
	unsigned depth; /* levels that are open */
	struct level levels[SNAP_MAX_DEPTH];
	char path[PATH_TEXT_MAX + 1];
};

static uint64_t device_of(const struct iot_statx *st)
{
	return (uint64_t)st->dev_major << 32 | st->dev_minor;
}

static bool is_pseudo(int fd)
{
	static const uint32_t magics[] = {
#define MAGIC(magic, name) magic,
		IOT_PSEUDO_FS(MAGIC)
#undef MAGIC
			AUTOFS_MAGIC,
	};
	struct statfs fs;

	/* not known is not entered */
	if (fstatfs(fd, &fs))
		return true;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if ((uint32_t)fs.f_type == magics[i])
			return true;
	return false;
}

/* ---- into a directory, and out of it ---- */

/* The access time of a directory that is ours to read stays as it is. */
static int open_directory(int above, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(above, name, flags | O_NOATIME);

	if (fd < 0 && errno == EPERM)
		fd = openat(above, name, flags);
	return fd < 0 ? -errno : fd;
}

/* A mount can lead back to a directory above it. */
static bool is_above(const struct walk *w, const struct level *level)
{
	for (unsigned i = 0; i < w->depth; i++)
		if (w->levels[i].ino == level->ino && w->levels[i].dev == level->dev)
			return true;
	return false;
}

/* Whether an open directory is to be read; counts why not. */
static bool may_enter(struct walk *w, int fd, const struct level *level)
{
	const struct level *above = w->depth ? &w->levels[w->depth - 1] : NULL;
	uint64_t *reason = NULL;

	if (above && above->dev != level->dev && (!w->options->all_mounts || is_pseudo(fd)))
		reason = &w->counts->other_fs;
	else if (is_above(w, level))
		reason = &w->counts->loops;
	if (reason)
		++*reason;
	return !reason;
}

static void count_failed(struct walk *w, int err)
{
	/* replaced by something else meanwhile, or gone */
	if (err == -ENOENT || err == -ENOTDIR || err == -ELOOP)
		w->counts->vanished++;
	else
		w->counts->unreadable++;
}

/* fd is the walk's. len: of the path. False when it is not read. */
static bool enter(struct walk *w, int fd, size_t len)
{
	struct level level = { .len = len };
	struct iot_statx st;

	if (!sys_statx_fd(fd, &st)) {
		level.ino = st.ino;
		level.dev = device_of(&st);
		if (!may_enter(w, fd, &level)) {
			close(fd);
			return false;
		}
		level.dir = fdopendir(fd);
	}
	if (!level.dir) {
		w->counts->unreadable++;
		close(fd);
		return false;
	}
	if (w->path[len - 1] != '/')
		w->path[level.len++] = '/';
	w->levels[w->depth++] = level;
	return true;
}

static void leave(struct walk *w)
{
	closedir(w->levels[--w->depth].dir);
}

/* ---- entries ---- */

static int visit(struct walk *w, size_t len, const struct iot_statx *st)
{
	struct walk_entry entry = { .path = w->path, .len = len, .st = st };

	w->path[len] = '\0';
	return w->fn(w->arg, &entry);
}

/* A directory that was visited: down into it, unless something speaks against it. */
static void descend(struct walk *w, const char *name, size_t len, const struct iot_statx *st)
{
	const struct level *here = &w->levels[w->depth - 1];
	int fd;

	/* w->depth is that of the entries here: those below have one more */
	if (w->options->depth && w->depth >= w->options->depth)
		return;
	if (w->depth == SNAP_MAX_DEPTH || len + 1 >= PATH_TEXT_MAX) {
		w->counts->too_deep++;
		return;
	}
	/* not even opened: it could be waiting for a server */
	if (!w->options->all_mounts && device_of(st) != here->dev) {
		w->counts->other_fs++;
		return;
	}
	fd = open_directory(dirfd(here->dir), name);
	if (fd < 0)
		count_failed(w, fd);
	else
		enter(w, fd, len);
}

static int look_at(struct walk *w, const char *name)
{
	const struct level *here = &w->levels[w->depth - 1];
	size_t name_len = strlen(name), len = here->len + name_len;
	struct iot_statx st;
	int err;

	if (len > PATH_TEXT_MAX) {
		w->counts->too_deep++;
		return 0;
	}
	err = sys_statx(dirfd(here->dir), name, &st);
	if (err) {
		count_failed(w, err);
		return 0;
	}
	memcpy(w->path + here->len, name, name_len);
	err = visit(w, len, &st);
	if (!err && S_ISDIR(st.mode))
		descend(w, name, len, &st);
	return err;
}

static int next_entry(struct walk *w)
{
	struct dirent *entry;

	errno = 0;
	entry = readdir(w->levels[w->depth - 1].dir);
	if (!entry) {
		w->counts->unreadable += errno != 0;
		leave(w);
		return 0;
	}
	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
		return 0;
	return look_at(w, entry->d_name);
}

static int walk_root(struct walk *w)
{
	size_t len = strlen(w->options->root);
	struct iot_statx st;
	int err, fd;

	if (len > PATH_TEXT_MAX)
		return -ENAMETOOLONG;
	memcpy(w->path, w->options->root, len + 1);
	err = sys_statx(AT_FDCWD, w->path, &st);
	if (err)
		return err;
	fd = open_directory(AT_FDCWD, w->path);
	if (fd < 0)
		return fd;
	if (is_pseudo(fd)) {
		close(fd);
		return -EMEDIUMTYPE;
	}
	err = visit(w, len, &st);
	if (err)
		close(fd);
	else if (!enter(w, fd, len))
		err = -EIO;
	return err;
}

int walk_tree(const struct snap_options *options, walk_fn *fn, void *arg, struct snap_done *counts)
{
	struct walk *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->options = options;
	w->fn = fn;
	w->arg = arg;
	w->counts = counts;
	err = walk_root(w);
	while (!err && w->depth)
		err = next_entry(w);
	while (w->depth)
		leave(w);
	free(w);
	return err;
}
