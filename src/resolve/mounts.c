/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table and the file that tells of changes. */
#include "resolve/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "probes/schema/pseudo_fs.def"
#include "resolve/overlays.h"

#define REFRESH_NS 10000000ULL
#define READ_AT_ONCE 16384

struct magic_name {
	uint32_t magic;
	const char *name;
};

#define MAGIC_ROW(magic, name) { magic, name },
static const struct magic_name pseudo_fs[] = { IOT_PSEUDO_FS(MAGIC_ROW) };

/* What the kernel mounts for itself and no table shows: files of memfd_create and of SysV segments. */
static const struct magic_name internal_fs[] = {
	{ 0x01021994, "tmpfs" },
	{ 0x958458f6, "hugetlbfs" },
};

#define N_ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const char *name_of_magic(const struct magic_name *rows, size_t n, uint32_t magic)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].magic == magic)
			return rows[i].name;
	return NULL;
}

/* ---- the rules ---- */

static bool is_traced(const struct mounts *mounts, const char *type, bool pseudo)
{
	return fs_types_wants(&mounts->types, type, mounts->all_fs || !pseudo);
}

/* ---- reading ---- */

/* All of an open file, ended by NUL; NULL (errno is set) when it cannot be read. */
static char *read_all(int fd)
{
	size_t size = 0, n = 0;
	char *text = NULL, *more = NULL;
	ssize_t got;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	do {
		if (size - n < READ_AT_ONCE) {
			size += size + 2 * READ_AT_ONCE;
			more = realloc(text, size);
			if (!more)
				break;
			text = more;
		}
		got = read(fd, text + n, size - n - 1);
		if (got > 0)
			n += got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (!more || got < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static int open_proc(const struct mounts *mounts, const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", mounts->proc, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Into the table, in place of what is there if that goes well. */
static int read_table(struct mounts *mounts, int fd)
{
	struct mountinfo fresh;
	char *text = read_all(fd);
	int err = text ? mountinfo_make(&fresh, text) : -errno;

	if (err) {
		log_error("%s/self/mountinfo: %s", mounts->proc, strerror(-err));
		return err;
	}
	mountinfo_free(&mounts->table);
	mounts->table = fresh;
	mounts->last.valid = false;
	memset(mounts->hosts, 0, sizeof(mounts->hosts));
	return 0;
}

int mounts_open(struct mounts *mounts)
{
	int err, fd;

	mounts_close(mounts);
	fd = open_proc(mounts, "self/mountinfo");
	if (fd < 0) {
		err = -errno;
		log_error("%s/self/mountinfo: %s", mounts->proc, strerror(-err));
		return err;
	}
	mounts->checked_ns = mono_ns();
	err = read_table(mounts, fd);
	if (err)
		close(fd);
	else
		mounts->watched = fd;
	return err;
}

void mounts_close(struct mounts *mounts)
{
	if (mounts->table.text)
		close(mounts->watched);
	mountinfo_free(&mounts->table);
	mounts->last.valid = false;
}

void mounts_refresh(struct mounts *mounts)
{
	struct pollfd changed = { .fd = mounts->watched, .events = POLLPRI };
	uint64_t now = mono_ns();

	if (!mounts->table.text || now - mounts->checked_ns < REFRESH_NS)
		return;
	mounts->checked_ns = now;
	/* after an error the old table stays: better than none */
	if (poll(&changed, 1, 0) > 0 && (changed.revents & (POLLPRI | POLLERR)))
		mounts->changes += !read_table(mounts, mounts->watched);
}

/* ---- looking up ---- */

const struct mount_point *mounts_of_path(const struct mounts *mounts, const char *path)
{
	return mountinfo_of_path(&mounts->table, path);
}

const struct mount_point *mounts_of_dev(const struct mounts *mounts, uint32_t dev)
{
	return mountinfo_of_dev(&mounts->table, dev);
}

static enum scope scope_of_mount(const struct mounts *mounts, const struct mount_point *m)
{
	if (!m)
		return SCOPE_UNKNOWN;
	return is_traced(mounts, m->type, m->pseudo) ? SCOPE_IN : SCOPE_OUT;
}

enum scope mounts_scope(const struct mounts *mounts, const char *path, uint32_t *dev)
{
	const struct mount_point *m = mounts_of_path(mounts, path);

	*dev = m ? m->dev : 0;
	return scope_of_mount(mounts, m);
}

enum scope mounts_scope_of_name(const struct mounts *mounts, const char *path)
{
	static const char *const pseudo[] = { "/proc/", "/sys/", "/dev/pts/" };
	uint32_t dev;
	enum scope scope = mounts_scope(mounts, path, &dev);

	if (scope != SCOPE_UNKNOWN)
		return scope == SCOPE_OUT ? SCOPE_OUT : SCOPE_UNKNOWN;
	for (size_t i = 0; i < N_ROWS(pseudo) && !mounts->all_fs; i++)
		if (!strncmp(path, pseudo[i], strlen(pseudo[i])))
			return SCOPE_OUT;
	return SCOPE_UNKNOWN;
}

enum scope mounts_scope_of_dev(struct mounts *mounts, uint32_t dev)
{
	if (!mounts->last.valid || mounts->last.dev != dev) {
		mounts->last.scope = scope_of_mount(mounts, mounts_of_dev(mounts, dev));
		mounts->last.dev = dev;
		mounts->last.valid = true;
	}
	return mounts->last.scope;
}

uint32_t mounts_host_dev(struct mounts *mounts, uint32_t dev)
{
	unsigned i = dev % MOUNTS_HOSTS;

	/* overlays have no device of their own */
	if (!dev || dev >> 20)
		return dev;
	if (mounts->hosts[i].dev != dev) {
		mounts->hosts[i].dev = dev;
		mounts->hosts[i].host = overlays_host_dev(&mounts->table, dev);
	}
	return mounts->hosts[i].host;
}

/* ---- types of files ---- */

static bool read_mount_id(const char *fdinfo, uint32_t *id)
{
	int fd = open(fdinfo, O_RDONLY | O_CLOEXEC);
	char text[2048], *at;
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "mnt_id:\t");
	if (at)
		*id = strtoul(at + strlen("mnt_id:\t"), NULL, 10);
	return at;
}

int mounts_of_process(const struct mounts *mounts, uint32_t tgid, struct mountinfo *theirs)
{
	char name[64], *text;
	int fd;

	*theirs = (struct mountinfo){ 0 };
	snprintf(name, sizeof(name), "%u/mountinfo", tgid);
	fd = open_proc(mounts, name);
	if (fd < 0)
		return fd;
	text = read_all(fd);
	close(fd);
	return text ? mountinfo_make(theirs, text) : -EIO;
}

/*
 * A mount that only another namespace has: numbers of mounts are those of the whole machine. type may
 * be NULL.
 */
static bool is_elsewhere(const struct mounts *mounts, uint32_t tgid, uint32_t id,
			 char type[FS_TYPE_SIZE])
{
	const struct mount_point *m = NULL;
	struct mountinfo theirs;

	if (!mounts_of_process(mounts, tgid, &theirs))
		m = mountinfo_of_id(&theirs, id);
	if (m && type)
		memcpy(type, m->type, FS_TYPE_SIZE);
	mountinfo_free(&theirs);
	return m;
}

/*
 * The type of a file's file system. Its magic number is not enough (ext2 to
 * ext4 share one), its device is not that of a mount on btrfs and overlay, and
 * reading which mount it is costs three calls, so they are tried in this order.
 */
static void find_type(const struct mounts *mounts, const struct mounts_file *file,
		      char type[FS_TYPE_SIZE])
{
	const char *name = name_of_magic(pseudo_fs, N_ROWS(pseudo_fs), file->magic);
	const struct mount_point *m = name ? NULL : mounts_of_dev(mounts, file->dev);
	uint32_t id;

	if (!name && !m && file->fdinfo && read_mount_id(file->fdinfo, &id)) {
		m = mountinfo_of_id(&mounts->table, id);
		if (!m && is_elsewhere(mounts, file->tgid, id, type))
			return;
	}
	if (m)
		name = m->type;
	if (!name)
		name = name_of_magic(internal_fs, N_ROWS(internal_fs), file->magic);
	snprintf(type, FS_TYPE_SIZE, "%s", name ? name : "");
}

bool mounts_is_nowhere(const struct mounts *mounts, uint32_t tgid, const char *fdinfo)
{
	uint32_t id;

	return mounts->table.n && read_mount_id(fdinfo, &id) &&
	       !mountinfo_of_id(&mounts->table, id) && !is_elsewhere(mounts, tgid, id, NULL);
}

bool mounts_wants(const struct mounts *mounts, const struct mounts_file *file)
{
	bool pseudo = name_of_magic(pseudo_fs, N_ROWS(pseudo_fs), file->magic);
	char type[FS_TYPE_SIZE] = "";

	if (mounts->types.n_rules)
		find_type(mounts, file, type);
	return is_traced(mounts, type, pseudo);
}
