/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream fs: calls on memory: which file is mapped there, and what the call does to mappings. */
#include "events/fs_memory.h"

#include "events/fs_files.h"
#include "events/fs_private.h"

#include <sys/mman.h>

/* linux/mman.h */
#define MAP_ANONYMOUS_FLAG 0x20
#define MREMAP_DONTUNMAP_FLAG 4

void fs_memory_map(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	struct mappings *all = mapped_of(ev->mapped, rec->head.tgid);
	struct fs_subject s = fs_no_subject;
	struct mapping made = { .start = rec->ret,
				.end = rec->ret + rec->size,
				.offset = rec->offset,
				.shared = rec->flags & MAP_SHARED };

	if (rec->flags & MAP_ANONYMOUS_FLAG) { /* MAP_ANONYMOUS: in place of what was there */
		if (rec->ret >= 0 && all)
			mappings_remove(all, made.start, made.end);
		return;
	}
	if (rec->status & IOT_ST_FILE) {
		s = fs_subject_of_record(ev, rec);
		s.offset = rec->offset;
	} else {
		s = fs_files_followed(ev, more);
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
	fs_emit(ev, rec, more, &s);
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
					   .from_len = more->old_size,
					   .to = rec->ret,
					   .to_len = rec->size,
					   .ts = ended,
					   .keep_old = rec->flags & MREMAP_DONTUNMAP_FLAG,
				   });
}

/* A call on a range of memory: the first mapping of a file in it, if there is one. */
void fs_memory_call(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	uint64_t start = more->address, len = rec->op == IOT_MREMAP ? more->old_size : rec->size;
	uint64_t ended = more->start + rec->latency;
	bool takes = rec->ret >= 0 && (rec->op == IOT_MUNMAP || rec->op == IOT_MREMAP);
	const struct mapping *found = mapped_find(ev->mapped, rec->head.tgid, start,
						  start + (len ? len : 1), takes ? ended : 0);
	struct fs_subject s = fs_no_subject;
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
	fs_emit(ev, rec, more, &s);
	path_put(path);
}
