/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

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
#include "row/records.h"
#include "compat/sys.h"

#define REFRESH_NS 10000000ULL
#define READ_AT_ONCE 16384

static const char *proc_root = "/proc";
static bool all_fs;
static struct fs_types filter;
static struct mountinfo table;
static int watched = -1;
static uint64_t asked_ns;
static uint32_t changes; /* of the table and of what is asked for */

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

/* ---- the filter ---- */

static struct fs_type_rule *find_rule(struct fs_types *types, const char *type)
{
	for (unsigned i = 0; i < types->n_rules; i++)
		if (!strcmp(types->rules[i].type, type))
			return &types->rules[i];
	return NULL;
}

bool fs_types_add(struct fs_types *types, const char *type, uint8_t rule)
{
	struct fs_type_rule *known = find_rule(types, type);

	if (!known) {
		if (types->n_rules == MOUNTS_MAX_TYPES || strlen(type) >= MOUNTS_TYPE_SIZE)
			return false;
		known = &types->rules[types->n_rules++];
		*known = (struct fs_type_rule){ .rule = rule };
		memcpy(known->type, type, strlen(type));
	}
	if (rule == IOT_FS_EXCLUDE)
		known->rule = rule;
	types->kinds |= rule;
	return true;
}

bool fs_types_any(const struct fs_types *types)
{
	for (unsigned i = 0; i < types->n_rules; i++)
		if (types->rules[i].rule == IOT_FS_INCLUDE)
			return true;
	return !(types->kinds & IOT_FS_INCLUDE);
}

void mounts_filter(const struct fs_types *types)
{
	filter = *types;
	changes++;
}

void mounts_all_fs(bool all)
{
	all_fs = all;
	changes++;
}

static bool is_wanted(const char *type, bool pseudo)
{
	const struct fs_type_rule *rule = find_rule(&filter, type);

	if (rule)
		return rule->rule == IOT_FS_INCLUDE;
	return !(filter.kinds & IOT_FS_INCLUDE) && (all_fs || !pseudo);
}

/* ---- reading ---- */

void mounts_set_root(const char *proc)
{
	proc_root = proc;
}

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

static int open_proc(const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", proc_root, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static char *read_proc(const char *name)
{
	int fd = open_proc(name);
	char *text = fd < 0 ? NULL : read_all(fd);

	if (fd >= 0)
		close(fd);
	return text;
}

static int read_table(void)
{
	struct mountinfo fresh;
	char *text = read_all(watched);
	int err = text ? mountinfo_make(&fresh, text) : -errno;

	if (err) {
		log_error("%s/self/mountinfo: %s", proc_root, strerror(-err));
		return err;
	}
	mountinfo_free(&table);
	table = fresh;
	changes++;
	return 0;
}

int mounts_open(void)
{
	int err;

	mounts_close();
	watched = open_proc("self/mountinfo");
	if (watched < 0) {
		err = -errno;
		log_error("%s/self/mountinfo: %s", proc_root, strerror(-err));
		return err;
	}
	asked_ns = mono_ns();
	err = read_table();
	if (err)
		mounts_close();
	return err;
}

void mounts_close(void)
{
	if (watched >= 0)
		close(watched);
	watched = -1;
	mountinfo_free(&table);
	changes++;
}

void mounts_refresh(void)
{
	struct pollfd changed = { .fd = watched, .events = POLLPRI };
	uint64_t now = mono_ns();

	if (watched < 0 || now - asked_ns < REFRESH_NS)
		return;
	asked_ns = now;
	/* after an error the old table stays: better than none */
	if (poll(&changed, 1, 0) > 0 && (changed.revents & (POLLPRI | POLLERR)))
		read_table();
}

bool mounts_known_type(const char *type, char *known, size_t size)
{
	char *text = read_proc("filesystems"), *rest = text, *line, *name;
	bool found = !text; /* nothing to hold it against */
	size_t n = 0;

	known[0] = '\0';
	while (!found && (line = strsep(&rest, "\n"))) {
		name = strchr(line, '\t');
		if (!name)
			continue;
		found = !strcmp(++name, type);
		if (n < size)
			n += snprintf(known + n, size - n, "%s%s", n ? ", " : "", name);
	}
	free(text);
	return found;
}

/* ---- looking up ---- */

const struct mount_point *mounts_of_path(const char *path)
{
	return mountinfo_of_path(&table, path);
}

const struct mount_point *mounts_of_dev(uint32_t dev)
{
	return mountinfo_of_dev(&table, dev);
}

enum scope mounts_scope(const char *path, uint32_t *dev)
{
	const struct mount_point *m = mounts_of_path(path);

	*dev = m ? m->dev : 0;
	if (!m)
		return SCOPE_UNKNOWN;
	return is_wanted(m->type, m->pseudo) ? SCOPE_IN : SCOPE_OUT;
}

/* Asked for every page: the same device as the last time, mostly. */
enum scope mounts_scope_of_dev(uint32_t dev)
{
	static uint32_t last_dev, last_changes;
	static enum scope last;
	const struct mount_point *m;

	if (dev == last_dev && last_changes == changes)
		return last;
	m = mounts_of_dev(dev);
	last = !m ? SCOPE_UNKNOWN : is_wanted(m->type, m->pseudo) ? SCOPE_IN : SCOPE_OUT;
	last_dev = dev;
	last_changes = changes;
	return last;
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

/* A mount that only another namespace has: numbers of mounts are those of the whole machine. */
static bool type_elsewhere(uint32_t tgid, uint32_t id, char type[MOUNTS_TYPE_SIZE])
{
	const struct mount_point *m = NULL;
	struct mountinfo theirs = { 0 };
	char name[64], *text;

	snprintf(name, sizeof(name), "%u/mountinfo", tgid);
	text = read_proc(name);
	if (text && !mountinfo_make(&theirs, text))
		m = mountinfo_of_id(&theirs, id);
	if (m)
		memcpy(type, m->type, MOUNTS_TYPE_SIZE);
	mountinfo_free(&theirs);
	return m;
}

/*
 * The type of a file's file system. Its magic number is not enough (ext2 to
 * ext4 share one), its device is not that of a mount on btrfs and overlay, and
 * reading which mount it is costs three calls, so they are tried in this order.
 */
static void find_type(const struct mounts_file *file, char type[MOUNTS_TYPE_SIZE])
{
	const char *name = name_of_magic(pseudo_fs, N_ROWS(pseudo_fs), file->magic);
	const struct mount_point *m = name ? NULL : mounts_of_dev(file->dev);
	uint32_t id;

	if (!name && !m && file->fdinfo && read_mount_id(file->fdinfo, &id)) {
		m = mountinfo_of_id(&table, id);
		if (!m && type_elsewhere(file->tgid, id, type))
			return;
	}
	if (m)
		name = m->type;
	if (!name)
		name = name_of_magic(internal_fs, N_ROWS(internal_fs), file->magic);
	snprintf(type, MOUNTS_TYPE_SIZE, "%s", name ? name : "");
}

bool mounts_wants(const struct mounts_file *file)
{
	bool pseudo = name_of_magic(pseudo_fs, N_ROWS(pseudo_fs), file->magic);
	char type[MOUNTS_TYPE_SIZE] = "";

	if (filter.n_rules)
		find_type(file, type);
	return is_wanted(type, pseudo);
}
