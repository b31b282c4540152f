/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files are mapped where: what gives MUNMAP, MSYNC, MADVISE and MREMAP
 * their file. Followed from the records of system calls; what was
 * mapped before is read from /proc. Anonymous memory is not in here.
 *
 * /proc is read when records have been waiting for a while, so it may tell of
 * what later records report, too. Adding it twice or removing it early does no
 * harm: the record that made it puts it back. Each mapping from /proc carries
 * the time of reading, which calls that take mappings away are held against.
 * What can go wrong nevertheless:
 * - a mapping that was there before the process was first looked up and was
 *   removed before /proc was read is not known;
 * - MSYNC or MADVISE older than the reading may get a file that was mapped to
 *   its address in between;
 * - mappings without a record (shmat, remap_file_pages, a loader in the
 *   kernel) are seen by reading /proc only, and stay when they are replaced so;
 * - mappings of huge pages are rounded to small ones, as far as the caller's
 *   length does not say more.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/procfs.h"
#include "row/path.h"

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file, of start */
	uint64_t ino;
	uint64_t as_of; /* CLOCK_MONOTONIC ns when /proc was read for it; 0: from a record */
	uint32_t dev;   /* kernel form */
	bool deleted;
	bool shared;       /* what is written there is written to the file */
	struct path *path; /* may be NULL */
};

/*
 * The mappings of one address space, sorted, none over another. Ranges are
 * rounded out to pages as the kernel does; an end below its start is the end of
 * the address space. Without memory a mapping is not known any more.
 */
struct mappings;

/* page_size 0: this machine's. NULL without memory. */
struct mappings *mappings_new(uint64_t page_size);
struct mappings *mappings_copy(const struct mappings *from);
/* Another process shares the address space; each gives its own back. */
struct mappings *mappings_get(struct mappings *maps);
void mappings_free(struct mappings *maps);

/* Replaces all by what /proc says of files in scope. False, and nothing known, when it does not. */
bool mappings_read(struct mappings *maps, const struct procfs *proc, uint32_t tgid);

/*
 * All are known: what is not found is not there. Else /proc could not be read (the process had
 * ended), or is yet to be.
 */
bool mappings_complete(const struct mappings *maps);

/* After an exec: /proc may have more (the program, its loader) than the records. */
void mappings_set_unread(struct mappings *maps);
/* Reads that, once; false when there is nothing left to read. */
bool mappings_read_rest(struct mappings *maps, const struct procfs *proc, uint32_t tgid);

/* Whether all of this was so at time ts already. */
bool mappings_known_at(const struct mappings *maps, uint64_t ts);

/* Over whatever was there; takes a reference to the path of its own. */
void mappings_add(struct mappings *maps, const struct mapping *add);

/* What munmap leaves, and mmap of no file. */
void mappings_remove(struct mappings *maps, uint64_t start, uint64_t end);

/* mremap, ended at time ts. keep_old: MREMAP_DONTUNMAP. old_len 0 maps a second time. */
struct mappings_move {
	uint64_t from;
	uint64_t from_len;
	uint64_t to;
	uint64_t to_len;
	uint64_t ts;
	bool keep_old;
};
void mappings_move(struct mappings *maps, const struct mappings_move *move);

/*
 * The first that overlaps the range, or NULL; valid until the next change. An
 * empty range overlaps nothing: ask for one byte where a length of 0 means something.
 */
const struct mapping *mappings_find(const struct mappings *maps, uint64_t start, uint64_t end);

/*
 * The same, without mappings that /proc showed only after time ts: a call that ended then removed
 * another.
 */
const struct mapping *mappings_find_old(const struct mappings *maps, uint64_t start, uint64_t end,
					uint64_t ts);
