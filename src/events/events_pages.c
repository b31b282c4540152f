/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams cache and pagefault: records that know a file by its inode, or an
 * address in a process, get the file's name and become rows.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/events_private.h"

#include <unistd.h>

#include "resolve/mounts.h"

/* ---- cache ---- */

static const char *const cache_events[IOT_N_CACHE_EVENTS] = {
	[IOT_CACHE_HIT] = "HIT",
	[IOT_CACHE_MISS] = "MISS",
	[IOT_CACHE_DIRTY] = "DIRTY",
	[IOT_CACHE_WRITEBACK_START] = "WRITEBACK_START",
	[IOT_CACHE_WRITEBACK_END] = "WRITEBACK_END",
	[IOT_CACHE_EVICT] = "EVICT",
	[IOT_CACHE_INVALIDATE] = "INVALIDATE",
	[IOT_CACHE_DROP] = "DROP",
	[IOT_CACHE_READAHEAD] = "READAHEAD",
	[IOT_CACHE_RECLAIM] = "RECLAIM",
};

/*
 * The device of a file system, of what a tracepoint told. The pages of block
 * devices themselves are no files: their inodes are on an internal file system,
 * or (where only the disk is named) have its number, none up to 5.10.
 */
static bool of_a_file(const struct iot_cache *rec, uint32_t *dev)
{
	enum scope scope = mounts_scope_of_dev(rec->dev);

	*dev = rec->dev;
	if (!(rec->flags & IOT_CACHE_DISK))
		return scope == SCOPE_IN || (scope == SCOPE_UNKNOWN && rec->dev >> 20);
	if (rec->ino == 0 || rec->ino == rec->dev)
		return false;
	if (scope == SCOPE_UNKNOWN)
		*dev = 0; /* a disk of which a partition is mounted, btrfs, NFS: any of several */
	return scope != SCOPE_OUT;
}

void events_cache(struct events *ev, const struct iot_cache *rec)
{
	static long page_size;
	const struct path *path;
	struct cache_row row = {
		.rec = rec,
		.index = rec->index,
		.dev = rec->dev,
		.size = rec->size == IOT_CACHE_NO_SIZE ? FORMAT_UNKNOWN : rec->size >> 12,
	};

	if (rec->event == 0 || rec->event >= IOT_N_CACHE_EVENTS) {
		ev->totals.bad++;
		return;
	}
	if (!ev->wanted[STREAM_cache])
		return;
	if (!page_size)
		page_size = sysconf(_SC_PAGESIZE);
	row.event = cache_events[rec->event];
	if (rec->event == IOT_CACHE_RECLAIM) {
		row.index = FORMAT_UNKNOWN;
	} else if (!(rec->flags & IOT_CACHE_KNOWN) && !of_a_file(rec, &row.dev)) {
		ev->totals.out_of_scope++;
		return;
	}
	row.offset = row.index == FORMAT_UNKNOWN ? FORMAT_UNKNOWN : row.index * page_size;
	path = names_of_file(ev->files, rec->ino, row.dev);
	row.path = events_text(path);
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_cache,
						   .operation = row.event,
						   .path = path }))
		events_push(ev, STREAM_cache, rec->head.ts, row_cache(ev->text, &row));
}

/* ---- pagefault ---- */

/* Without kprobes there is an address: a fault of memory that is no file's is no row. */
static bool find_file(struct events *ev, const struct iot_fault *rec, struct pagefault_row *row,
		      const struct path **path)
{
	const struct mapping *at;

	switch (mapped_fault(ev->mapped, rec->head.tgid, rec->address, rec->flags & IOT_FAULT_FETCH,
			     &at)) {
	case MAPPED_FILE:
		row->ino = at->ino;
		row->dev = at->dev;
		row->index = (at->offset + rec->address - at->start) / sysconf(_SC_PAGESIZE);
		*path = events_whole(at->path);
		return true;
	case MAPPED_MEMORY:
		ev->totals.out_of_scope++;
		return false;
	case MAPPED_UNKNOWN:
		ledger_missed(ev->ledger, IOT_SEQ_pagefault, LOST_UNRESOLVED, -1,
			      ++ev->faults_unresolved, rec->head.ts);
		return false;
	}
	return false;
}

void events_fault(struct events *ev, const struct iot_fault *rec)
{
	const struct path *path = NULL;
	struct pagefault_row row = {
		.rec = rec,
		.start = rec->head.ts,
		.ino = rec->ino,
		.index = rec->index,
		.dev = rec->dev,
		.type = rec->flags & IOT_FAULT_WRITE ? "WRITE" : "READ",
		.severity = "",
		.latency = FORMAT_UNKNOWN,
	};

	ev->totals.faults++;
	if (rec->flags & IOT_FAULT_FILE) {
		path = events_known_name(ev, rec->name);
		events_learn(ev, rec->ino, rec->dev, path);
		path = events_whole(path);
	} else if (!find_file(ev, rec, &row, &path)) {
		return;
	}
	row.path = events_text(path);
	if (rec->flags & IOT_FAULT_RESULT) {
		row.severity = rec->flags & IOT_FAULT_MAJOR ? "MAJOR" : "MINOR";
		row.latency = rec->latency;
		row.start -= rec->latency;
	}
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_pagefault,
						   .operation = row.severity,
						   .latency = row.latency,
						   .path = path }))
		events_push(ev, STREAM_pagefault, row.start, row_pagefault(ev->text, &row));
}
