/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the reading of a process's descriptors, once for each that was there before. */
#include "resolve/fd_scan.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

#define POSITION_NS (NS_PER_S / 50)

struct desc *desc_of_file(const struct procfs_file *file)
{
	struct path *path = procfs_name(file, PATH_PROC);
	struct desc *desc = desc_new(file->scope, path);

	path_put(path);
	if (!desc)
		return NULL;
	desc->ino = file->ino;
	desc->dev = file->dev;
	desc->deleted = file->deleted;
	return desc;
}

/* asked: before /proc was read. */
static void set_position(struct desc *desc, const struct procfs_file *file, uint64_t asked)
{
	desc->pos = file->pos;
	desc->asked = asked;
	desc->as_of = mono_ns();
	desc->overlapped = false;
}

static struct desc *read_desc(const struct procfs *proc, uint32_t tgid, int fd, bool *cloexec)
{
	struct procfs_file file;
	uint64_t asked = mono_ns();
	struct desc *desc = procfs_fd(proc, tgid, fd, true, &file) ? desc_of_file(&file) : NULL;

	if (!desc)
		return NULL;
	desc->flags = file.flags;
	set_position(desc, &file, asked);
	desc->known_since = desc->as_of;
	*cloexec = file.cloexec;
	return desc;
}

struct desc *fd_scan_one(struct fd_table *table, const struct procfs *proc, uint32_t tgid, int fd)
{
	bool cloexec = false;
	struct desc *desc = read_desc(proc, tgid, fd, &cloexec);

	return desc ? fd_table_set(table, fd, desc, cloexec) : NULL;
}

bool desc_renew(struct desc *desc, const struct procfs *proc, uint32_t tgid, int fd)
{
	struct procfs_file now;

	if (!procfs_fd(proc, tgid, fd, false, &now) || now.ino != desc->ino || now.dev != desc->dev)
		return false;
	if (desc->path && now.path[0] && strcmp(now.path, desc->path->raw)) {
		path_put(desc->path);
		desc->path = procfs_name(&now, PATH_PROC);
	}
	desc->deleted = now.deleted;
	return true;
}

void desc_read_position(struct desc *desc, const struct procfs *proc, uint32_t tgid, int fd)
{
	struct procfs_file now;
	uint64_t asked = mono_ns();

	if (asked - desc->as_of < POSITION_NS)
		return;
	desc->as_of = asked; /* also where it cannot be read: not before the next turn */
	if (procfs_fd(proc, tgid, fd, true, &now) && now.ino == desc->ino && now.dev == desc->dev)
		set_position(desc, &now, asked);
}

struct scan {
	struct fd_table *table;
	const struct procfs *proc;
	uint32_t tgid;
};

/* linux/kcmp.h. Above 0: two files, or one opened twice; below: the kernel does not say. */
static long compare_files(uint32_t tgid, int fd, int other)
{
	const int file = 0;

	return syscall(SYS_kcmp, tgid, tgid, file, fd, other);
}

/* The description that an earlier descriptor has, too: "2>&1" makes such. A new reference. */
static struct desc *find_twin(const struct scan *scan, int fd, struct desc *desc)
{
	for (int i = 0; i < fd && (uint32_t)i < scan->table->n_slots; i++) {
		struct desc *other = scan->table->slots[i].desc;
		long order;

		if (!other || other->ino != desc->ino || other->dev != desc->dev ||
		    desc->scope != SCOPE_IN)
			continue;
		order = compare_files(scan->tgid, fd, i);
		if (order == 0) {
			other->refs++;
			return other;
		}
		if (order < 0)
			other->untracked_pos = desc->untracked_pos = true;
	}
	return NULL;
}

static void scan_fd(void *arg, int fd)
{
	const struct scan *scan = arg;
	bool cloexec = false;
	struct desc *desc = read_desc(scan->proc, scan->tgid, fd, &cloexec);
	struct desc *twin = desc ? find_twin(scan, fd, desc) : NULL;

	if (twin)
		desc_free(desc);
	if (desc)
		fd_table_set(scan->table, fd, twin ? twin : desc, cloexec);
}

bool fd_scan_all(struct fd_table *table, const struct procfs *proc, uint32_t tgid)
{
	struct scan scan = { .table = table, .proc = proc, .tgid = tgid };

	return procfs_each_fd(proc, tgid, scan_fd, &scan);
}
