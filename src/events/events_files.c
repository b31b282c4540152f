/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs: calls of struct iot_more on open files and on memory: which file a
 * followed descriptor or a mapping stands for, and what the call does to it.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/events_private.h"

#include "row/fs_ops.h"

/* linux/mman.h */
#define MAP_ANONYMOUS_FLAG 0x20
#define MREMAP_DONTUNMAP_FLAG 4

/* ---- descriptors ---- */

/* The followed file of the second descriptor; NULL where the kernel told it, or nobody follows. */
static struct desc *second_file(struct events *ev, const struct iot_more *more)
{
	if (!ev->follow || (more->status2 & IOT_ST_FILE))
		return NULL;
	return procs_desc(ev->procs, more->fs.head.tgid, more->fd2, more->fs.head.ts);
}

/* A transfer that moved bytes, to a file without an offset of its own, which the kernel did not tell. */
static bool moves_second(const struct iot_more *more)
{
	return (fs_ops[more->fs.op].traits & FS_TWO_FILES) && !(more->fs.status & IOT_ST_FILE) &&
	       (int64_t)more->length < 0 && more->fs.ret > 0;
}

/* What the other side of a transfer does to its own position. */
static void move_second(struct desc *desc, const struct iot_more *more)
{
	struct iot_fs out = more->fs;

	out.op = IOT_WRITE;
	out.size = out.ret;
	procs_move(desc, &out);
}

static struct subject followed_file(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs, move = *rec;
	unsigned traits = fs_ops[rec->op].traits;
	struct desc *desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);
	struct subject s;

	/* splice from a pipe: the file is the other one */
	if (rec->op == IOT_SPLICE && desc && desc->scope == SCOPE_OUT) {
		desc = procs_desc(ev->procs, rec->head.tgid, more->fd2, rec->head.ts);
		rec->fd = more->fd2;
		rec->offset = more->length;
		move.op = IOT_WRITE;
		move.offset = rec->offset;
		more->length = 0;
	} else {
		move.op = IOT_READ;
	}
	if (!desc)
		return subject_nothing;
	s = subject_of_desc(desc);
	s.offset = rec->offset;
	if ((traits & FS_TWO_FILES) && move.offset < 0)
		s.offset = procs_move(desc, &move);
	return s;
}

void events_fs_descriptor(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	bool two = fs_ops[rec->op].traits & FS_TWO;
	struct path *second = NULL, *both = NULL;
	struct desc *desc = NULL;
	struct subject s;

	if (rec->status & IOT_ST_FILE) {
		s = subject_of_record(ev, rec);
		s.offset = rec->offset;
	} else {
		s = followed_file(ev, more);
	}
	if (two || moves_second(more))
		desc = second_file(ev, more);
	if (desc && moves_second(more))
		move_second(desc, more);
	if (two) {
		if (desc)
			more->ino2 = desc->ino;
		second = desc ? path_get(desc->path) :
			 more->status2 & IOT_ST_FILE ?
				path_get(events_known_name(ev, more->name2)) :
				NULL;
		both = path_pair(s.path, second, false);
		s.path = both;
	}
	if (rec->op == IOT_CHDIR)
		events_change_directory(ev, rec, NULL);
	events_put_row(ev, rec, more, &s);
	path_put(second);
	path_put(both);
}

/* ---- mappings ---- */

void events_fs_mmap(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	struct mappings *all = mapped_of(ev->mapped, rec->head.tgid);
	struct subject s = subject_nothing;
	struct mapping made = { .start = rec->ret,
				.end = rec->ret + rec->size,
				.offset = rec->offset };

	if (rec->flags & MAP_ANONYMOUS_FLAG) { /* MAP_ANONYMOUS: in place of what was there */
		if (rec->ret >= 0 && all)
			mappings_remove(all, made.start, made.end);
		return;
	}
	if (rec->status & IOT_ST_FILE) {
		s = subject_of_record(ev, rec);
		s.offset = rec->offset;
	} else {
		s = followed_file(ev, more);
	}
	made.ino = s.ino;
	made.dev = s.dev;
	made.deleted = s.path_flags & PATH_DELETED;
	made.path = (struct path *)s.path;
	if (!all || rec->ret < 0)
		; /* nothing was mapped */
	else if (s.scope == SCOPE_OUT)
		mappings_remove(all, made.start, made.end);
	else
		mappings_add(all, &made);
	events_put_row(ev, rec, more, &s);
}

/* What a call that ended well does to the mappings that are followed. */
static void change_mappings(struct events *ev, const struct iot_more *more, uint64_t ended)
{
	const struct iot_fs *rec = &more->fs;
	struct mappings *all;

	if (rec->ret < 0 || (rec->op != IOT_MUNMAP && rec->op != IOT_MREMAP))
		return;
	all = mapped_of(ev->mapped, rec->head.tgid);
	if (all && rec->op == IOT_MUNMAP)
		mappings_remove(all, more->address, more->address + rec->size);
	else if (all)
		mappings_move(all, &(struct mappings_move){
					   .from = more->address,
					   .from_len = more->length,
					   .to = rec->ret,
					   .to_len = rec->size,
					   .ts = ended,
					   .keep_old = rec->flags & MREMAP_DONTUNMAP_FLAG,
				   });
}

/* A call on a range of memory: the first mapping of a file in it, if there is one. */
void events_fs_memory(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	uint64_t start = more->address, len = rec->op == IOT_MREMAP ? more->length : rec->size;
	uint64_t ended = more->start + rec->latency;
	bool takes = rec->ret >= 0 && (rec->op == IOT_MUNMAP || rec->op == IOT_MREMAP);
	const struct mapping *found = mapped_find(ev->mapped, rec->head.tgid, start,
						  start + (len ? len : 1), takes ? ended : 0);
	struct subject s = subject_nothing;
	struct path *path = NULL;

	if (found) {
		s.path = path = path_get(found->path);
		s.path_flags = found->deleted ? PATH_DELETED : 0;
		s.ino = found->ino;
		s.dev = found->dev;
		s.remembered = true;
		if (rec->op == IOT_MSYNC || rec->op == IOT_MADVISE)
			s.offset = found->start >= start ? found->offset :
							   found->offset + start - found->start;
	} else {
		s.scope = SCOPE_OUT; /* memory of no file */
	}
	change_mappings(ev, more, ended);
	events_put_row(ev, rec, more, &s);
	path_put(path);
}
