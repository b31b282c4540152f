/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of one stream in their order, by several threads: pieces of the text
 * are parsed side by side into items of the caller's, and each item belongs to
 * a shard, whose items are consumed in the order of their rows. Memory is that
 * of a few pieces for each thread, however long the segments are.
 */
#pragma once

#include "read/read_parallel.h"

enum { READ_MAX_SHARDS = 64 };

struct read_piece;

struct read_ordered {
	const struct read_session *session;
	const struct read_query *query;
	unsigned n_threads; /* read_threads(), or fewer */
	unsigned n_shards;  /* at most READ_MAX_SHARDS */
	size_t item_size;   /* a multiple of 8 */
	void *arg;          /* of the functions below */
	/*
	 * Any thread: makes items of a row with read_ordered_add. Their texts may point into
	 * those of the fields.
	 */
	void (*row)(void *arg, struct read_piece *piece, const struct field *fields);
	/* An item; never by two threads at once for one shard. Its texts end with the call. */
	void (*item)(void *arg, unsigned shard, const void *item);
	/* Now and then, by one thread at a time: what was read so far. May be NULL. */
	void (*progress)(void *arg, uint64_t rows, uint64_t bytes);
};

/* Room for the next item of a shard, not cleared; NULL without memory, which ends the reading. */
void *read_ordered_add(struct read_piece *piece, unsigned shard);

/*
 * Returns 0 or -ENOMEM. What could not be read is reported. *missing: a bit for each column
 * that a segment lacks. The caller's thread works as well; all calls of the functions above
 * are over when it returns.
 */
int read_ordered(const struct read_ordered *read, struct read_totals *totals, uint64_t *missing);
