/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream cache: see cache.h. Records know a file by its inode; its name is what fs has told. */
#include "events/cache.h"

#include <unistd.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/texts.h"
#include "probes/schema/cache.def"
#include "row/format.h"

EVENTS_ROW(cache)

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
static bool of_a_file(struct mounts *mounts, const struct iot_cache *rec, uint32_t *dev)
{
	enum scope scope = mounts_scope_of_dev(mounts, rec->dev);

	*dev = rec->dev;
	if (!(rec->flags & IOT_CACHE_DISK))
		return scope == SCOPE_IN || (scope == SCOPE_UNKNOWN && rec->dev >> 20);
	if (rec->ino == 0 || rec->ino == rec->dev)
		return false;
	if (scope == SCOPE_UNKNOWN)
		*dev = 0; /* a disk of which a partition is mounted, btrfs, NFS: any of several */
	return scope != SCOPE_OUT;
}

static void handle_page(struct events *ev, void *record, size_t len)
{
	const struct iot_cache *rec = record;
	static long page_size;
	const struct path *path;
	struct cache_row row = {
		.rec = rec,
		.index = rec->index,
		.dev = rec->dev,
		.size = rec->size == IOT_CACHE_NO_SIZE ? FORMAT_UNKNOWN : rec->size >> 12,
	};

	(void)len;
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
	} else if (!(rec->flags & IOT_CACHE_KNOWN) &&
		   !of_a_file(&ev->resolve->mounts, rec, &row.dev)) {
		ev->totals.out_of_scope++;
		return;
	}
	row.offset = row.index == FORMAT_UNKNOWN ? FORMAT_UNKNOWN : row.index * page_size;
	path = texts_of_file(ev, rec->ino, row.dev);
	row.path = texts_cell(path);
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_cache,
						   .operation = row.event,
						   .path = path }))
		cache_push(ev, rec->head.ts, &row);
}

const struct stream_ops stream_cache = {
	.records = {
		{ .type = IOT_REC_CACHE, .least = sizeof(struct iot_cache), .handle = handle_page },
	},
};
