/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was written to files and has not reached a device when the trace ends: it waits in the page
 * cache. Rows are fed in any order. A byte that is written again counts once, as far as the range
 * written tells, and what was removed is nobody's any more. Memory is bounded: of files beyond the
 * first many nothing is known.
 */
#pragma once

#include <stdint.h>

#include "analysis/common/pool.h"
#include "row/parse.h"

struct unwritten_entry;

/* The zeroed one is empty. */
struct unwritten {
	struct unwritten_entry **slots;
	uint64_t n;
	uint64_t unnamed; /* bytes that devices have of files that are not known */
	struct pool pool;
};

/*
 * Bytes written to a file by its inode; offset -1: not known. owner: of the last write, the
 * caller's.
 */
struct unwritten_write {
	uint64_t inode;
	uint64_t device; /* of its file system: major << 20 | minor */
	const char *path;
	size_t len;
	int64_t offset;
	uint64_t bytes;
	uint64_t ns;
	void *owner;
};

void unwritten_wrote(struct unwritten *u, const struct unwritten_write *write);
/* A device has so many of them, as a request says that names the file; inode 0: it may be any. */
void unwritten_reached(struct unwritten *u, uint64_t inode, const char *path, size_t len,
		       uint64_t bytes);
/* What had this path until then is removed, or empty. */
void unwritten_gone(struct unwritten *u, const char *path, size_t len, uint64_t ns);
/* It has another one. */
void unwritten_renamed(struct unwritten *u, const char *path, size_t len, const char *to,
		       size_t to_len, uint64_t ns);
/* All that is in other, too. */
void unwritten_join(struct unwritten *u, const struct unwritten *other);
/* Each owner is replaced by another one. */
void unwritten_move(struct unwritten *u, void *(*moved)(void *arg, void *owner), void *arg);
/* After the last row: bytes that wait, and (or NULL) for each file whose they are. */
uint64_t unwritten_end(const struct unwritten *u, void (*add)(void *owner, uint64_t bytes));
void unwritten_free(struct unwritten *u);
