/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the effect of each call. Whose descriptors they are, its callers say. */
#include "resolve/fd_calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/fd_opened.h"
#include "resolve/fd_table.h"

/* linux/close_range.h */
#define CLOSE_RANGE_UNSHARE_FLAG 2
#define CLOSE_RANGE_CLOEXEC_FLAG 4
/* linux/sched.h */
#define CLONE_FILES_FLAG 0x400

/* ---- opening and closing ---- */

/* What a path such as /proc/self/fd/3 leads to: the file that this descriptor has at the time. */
static struct desc *named_descriptor(const struct procs *procs, struct proc *proc,
				     const struct iot_fs *rec, const struct path *path)
{
	int fd = path && (path->flags & PATH_FULL) ? proc_view_fd_of(proc->view, path->raw) : -1;

	return fd < 0 ? NULL : proc_desc(procs, proc, fd, rec->head.ts);
}

/* Another description of the same file */
static struct desc *desc_again(const struct desc *of)
{
	struct desc *desc = desc_new(of->scope, of->path);

	if (desc) {
		desc->ino = of->ino;
		desc->dev = of->dev;
		desc->deleted = of->deleted;
	}
	return desc;
}

/* As the kernel reported it, else as /proc and the path show it. */
static struct desc *desc_of_open(const struct procs *procs, struct proc *proc,
				 const struct iot_fs *rec, struct path *path)
{
	const struct opener by = { .procfs = procs_procfs(procs), .view = proc->view };
	const struct desc *named = NULL;
	struct desc *desc;

	if (!(rec->status & IOT_ST_FILE) && !(rec->flags & O_NOFOLLOW))
		named = named_descriptor(procs, proc, rec, path);
	if (named)
		return desc_again(named);
	if ((rec->status & IOT_ST_FILE) == 0)
		return (rec->flags & O_TMPFILE) == O_TMPFILE ?
			       desc_unnamed(&by, rec->ret, path) :
			       desc_opened(&by, rec->ret, path, rec->flags);
	desc = desc_new(SCOPE_IN, path);
	if (desc) {
		desc->ino = rec->ino;
		desc->dev = rec->dev;
		desc->ofd = rec->ofd;
	}
	return desc;
}

const struct desc *fd_calls_open(struct procs *procs, const struct iot_fs *rec, struct path *path)
{
	struct proc *proc = procs_get(procs, rec->head.tgid);
	struct desc *desc = proc ? desc_of_open(procs, proc, rec, path) : NULL, *now;
	struct fd_table *table;

	if (!desc)
		return NULL;
	desc->flags = rec->flags & ~(uint32_t)(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
	desc->pos = 0;
	desc->known_since = desc->asked = desc->as_of = rec->head.ts;
	table = proc_fds_at(proc, rec->head.ts);
	now = table != proc->fds ? fd_table_find(proc->fds, rec->ret) : NULL;
	if (now && now->ino == desc->ino && now->dev == desc->dev && desc->path) {
		/* still open when /proc was read, which may know it by another name */
		path_put(now->path);
		now->path = path_get(desc->path);
		/* numbered by the kernel's record, or when /proc was read */
		if (desc->ofd)
			now->ofd = desc->ofd;
		else
			desc->ofd = now->ofd;
	}
	return fd_table_set(table, rec->ret, desc, rec->flags & O_CLOEXEC);
}

bool fd_calls_close(struct procs *procs, const struct iot_fs *rec, struct desc *out)
{
	struct proc *proc = procs_get(procs, rec->head.tgid);
	struct fd_slot *slot = proc ? fd_table_slot(proc_fds_at(proc, rec->head.ts), rec->fd) :
				      NULL;
	struct desc *desc = slot ? slot->desc : NULL;
	bool last;

	*out = (struct desc){ .scope = SCOPE_UNKNOWN, .flags = FORMAT_NO_FLAGS, .pos = -1 };
	if (!desc)
		return true; /* not followed: counts as the last */
	proc_renew(procs, proc, desc, rec->fd, rec->head.ts);
	last = desc->refs == 1 && !desc->held;
	*out = *desc;
	out->ends = NULL;
	path_get(out->path);
	slot->desc = NULL;
	desc_put(desc);
	return last;
}

/* ---- positions ---- */

bool desc_appends(const struct desc *desc, const struct iot_fs *rec)
{
	return rec->op == IOT_WRITE && desc->flags != FORMAT_NO_FLAGS && (desc->flags & O_APPEND) &&
	       !(rec->status & IOT_ST_NO_APPEND);
}

int64_t desc_move(struct desc *desc, const struct iot_fs *rec)
{
	int64_t start = desc->pos;

	/* a position from /proc is right only for what came after it was read */
	if (start < 0 || desc->untracked_pos || rec->head.ts < desc->asked)
		return -1;
	if (rec->head.ts - rec->latency < desc->as_of) {
		desc->pos = -1; /* read while this call moved it, or before, or after */
		desc->overlapped = true;
		return -1;
	}
	if (desc_appends(desc, rec)) {
		desc->pos = -1; /* the end of the file, wherever that is */
		return -1;
	}
	if (rec->ret > 0)
		desc->pos += rec->ret;
	return start;
}

/* ---- other calls ---- */

static void duplicate(const struct procs *procs, struct proc *proc, struct fd_table *table,
		      const struct iot_fs *rec)
{
	struct desc *desc;

	if (rec->ret == rec->fd)
		return;
	desc = proc_desc(procs, proc, rec->fd, rec->head.ts);
	if (desc)
		desc->refs++;
	fd_table_set(table, rec->ret, desc, rec->flags & O_CLOEXEC);
}

/* What is no file. Of socketpair the family is known, and no later call names it again. */
static void set_other(struct fd_table *table, int fd, const struct iot_fs *rec)
{
	struct desc *desc = fd >= 0 ? desc_new(SCOPE_OUT, NULL) : NULL;

	if (desc && rec->size)
		desc->ends = calloc(1, sizeof(*desc->ends));
	if (desc && desc->ends) {
		desc->ends->family = rec->size;
		desc->ends->made = rec->head.ts;
	}
	if (fd >= 0)
		fd_table_set(table, fd, desc, false);
}

/* Only /proc has its name and inode, while it is open. */
static void set_memory(const struct procs *procs, const struct proc *proc, struct fd_table *table,
		       const struct iot_fs *rec)
{
	const struct opener by = { .procfs = procs_procfs(procs), .view = proc->view };
	struct desc *desc = desc_nameless(&by, rec->ret);

	if (!desc)
		desc = desc_new(SCOPE_UNKNOWN, NULL);
	if (!desc)
		return;
	desc->flags = O_RDWR;
	desc->pos = 0;
	desc->known_since = desc->asked = desc->as_of = rec->head.ts;
	fd_table_set(table, rec->ret, desc, rec->flags & O_CLOEXEC);
}

static void close_range_of(struct fd_table *table, const struct iot_fs *rec)
{
	for (uint64_t fd = (uint32_t)rec->fd; fd <= rec->size && fd < table->n_slots; fd++) {
		if (rec->flags & CLOSE_RANGE_CLOEXEC_FLAG)
			table->slots[fd].cloexec = true;
		else if (table->slots[fd].desc)
			fd_table_set(table, fd, NULL, false);
	}
}

/* given: NULL for fchdir */
static void change_directory(const struct procs *procs, struct proc *proc, const struct iot_fs *rec,
			     const struct path *given)
{
	struct procfs_file file;
	struct path *path;
	struct desc *desc;

	desc = given ? named_descriptor(procs, proc, rec, given) :
		       proc_desc(procs, proc, rec->fd, rec->head.ts);
	if (!given || desc) {
		proc_view_set_cwd(proc->view, desc ? path_get(desc->path) : NULL,
				  desc ? desc->ino : 0, desc ? desc->dev : 0);
		return;
	}
	path = path_get((struct path *)given);
	if (!(path->flags & PATH_FULL) ||
	    !proc_view_file(proc->view, procs_procfs(procs), path->raw, &file)) {
		proc_view_set_cwd(proc->view, path, 0, 0);
		return;
	}
	/* where symbolic links on the way led to */
	if (file.path[0] && strcmp(file.path, path->raw)) {
		path_put(path);
		path = procfs_name(&file, 0);
	}
	proc_view_set_cwd(proc->view, path, file.ino, file.dev);
}

static void set_position(struct fd_table *table, int fd, int64_t pos, uint64_t ts)
{
	struct desc *desc = fd_table_find(table, fd);

	if (!desc || ts < desc->asked)
		return;
	desc->overlapped = ts < desc->as_of;
	desc->pos = desc->overlapped ? -1 : pos;
}

/* Of the file description, so of all its descriptors: what fcntl(2) lets change. */
static void set_flags(struct desc *desc, uint32_t flags)
{
	const uint32_t settable = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK;

	if (desc && desc->flags != FORMAT_NO_FLAGS)
		desc->flags = (desc->flags & ~settable) | (flags & settable);
}

void fd_calls_state(struct procs *procs, const struct iot_fs *rec, const struct path *path)
{
	const struct iot_head *head = &rec->head;
	struct fd_table *table;
	struct fd_slot *slot;
	struct proc *proc;

	if (rec->ret < 0)
		return;
	if (rec->op == IOT_UNSHARE)
		procs_unshare(procs, head->tgid, head->tid, (uint32_t)rec->fd);
	else if (rec->op == IOT_CLOSE_RANGE && (rec->flags & CLOSE_RANGE_UNSHARE_FLAG))
		procs_unshare(procs, head->tgid, head->tid, CLONE_FILES_FLAG);
	else if (rec->op == IOT_SETNS)
		procs_joined(procs, head->tgid);
	else if (rec->op == IOT_THREAD)
		procs_thread(procs, head->tgid, (uint32_t)rec->ret, rec->size);
	proc = procs_get(procs, head->tgid);
	table = proc ? proc_fds_at(proc, head->ts) : NULL;
	if (!table)
		return;
	switch (rec->op) {
	case IOT_LSEEK:
		set_position(table, rec->fd, rec->ret, rec->head.ts);
		break;
	case IOT_DUP:
		duplicate(procs, proc, table, rec);
		break;
	case IOT_CLOEXEC:
		slot = fd_table_slot(table, rec->fd);
		if (slot)
			slot->cloexec = rec->flags & 1;
		break;
	case IOT_SETFL:
		set_flags(fd_table_find(table, rec->fd), rec->flags);
		break;
	case IOT_CLOSE_RANGE:
		close_range_of(table, rec);
		break;
	case IOT_CHDIR:
		if (table == proc->fds)
			change_directory(procs, proc, rec, path);
		break;
	case IOT_MOUNTED:
		procs_mounted(procs, rec->head.ts);
		break;
	case IOT_MOVED:
		set_position(table, rec->fd, -1, rec->head.ts);
		set_position(table, rec->dirfd, -1, rec->head.ts);
		break;
	case IOT_MEMFD:
		set_memory(procs, proc, table, rec);
		break;
	case IOT_NEWFD:
		set_other(table, rec->ret, rec);
		set_other(table, rec->dirfd, rec);
		break;
	}
}
