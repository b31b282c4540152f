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
#include "resolve/other_mounts.h"
#include "resolve/overlays.h"

#define REFRESH_NS 10000000ULL

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
	int err = mountinfo_read(&fresh, fd);

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
	mounts->others = calloc(1, sizeof(*mounts->others));
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
	if (mounts->others)
		other_mounts_free(mounts->others);
	free(mounts->others);
	mounts->others = NULL;
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

/* A mount that only another namespace has, too: numbers of mounts are those of the whole machine. */
static const struct mount_point *mount_of_id(const struct mounts *mounts, uint32_t tgid,
					     uint32_t id)
{
	const struct mount_point *m = mountinfo_of_id(&mounts->table, id);

	return m || !mounts->others ? m : other_mounts_id(mounts->others, mounts->proc, tgid, id);
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

	if (!name && !m && file->fdinfo && read_mount_id(file->fdinfo, &id))
		m = mount_of_id(mounts, file->tgid, id);
	if (m)
		name = m->type;
	if (!name)
		name = name_of_magic(internal_fs, N_ROWS(internal_fs), file->magic);
	snprintf(type, FS_TYPE_SIZE, "%s", name ? name : "");
}

bool mounts_is_nowhere(const struct mounts *mounts, uint32_t tgid, const char *fdinfo)
{
	uint32_t id;

	return mounts->table.n && read_mount_id(fdinfo, &id) && !mount_of_id(mounts, tgid, id);
}

bool mounts_may_wait(const struct mounts *mounts, const struct mounts_file *file)
{
	const struct mount_point *m = mounts_of_dev(mounts, file->dev);
	uint32_t id;

	if (!m && mounts->table.n && read_mount_id(file->fdinfo, &id)) {
		m = mount_of_id(mounts, file->tgid, id);
		/* unmounted while it is in use, as is done with a server that does not answer */
		if (!m)
			return true;
	}
	return m && m->waits;
}

bool mounts_path_waits(const struct mounts *mounts, uint32_t tgid, const char *path)
{
	const struct mountinfo *table = &mounts->table;

	if (tgid)
		table = mounts->others ? other_mounts_of(mounts->others, mounts->proc, tgid) : NULL;
	return !table || mountinfo_waits(table, path);
}

bool mounts_wants(const struct mounts *mounts, const struct mounts_file *file)
{
	bool pseudo = name_of_magic(pseudo_fs, N_ROWS(pseudo_fs), file->magic);
	char type[FS_TYPE_SIZE] = "";

	if (mounts->types.n_rules)
		find_type(mounts, file, type);
	return is_traced(mounts, type, pseudo);
}
