/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that records refer to by id: file names walked by the kernel, path
 * strings and argument lists of callers; and, in a second table of the same
 * kind, the names of files by inode and device, for records that know no more
 * than that. A bounded table: the longest unused goes first and is counted, and a text that is
 * asked for in vain is one that the kernel must send again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/path.h"

struct names;

struct names_totals {
	uint64_t added;
	uint64_t evicted;
	uint64_t unknown; /* asked for in vain */
};

/* capacity: entries kept, rounded up to a power of two, 8 at least */
struct names *names_open(unsigned capacity);
void names_close(struct names *names);

/* Takes over the caller's reference; replaces an entry with the same id. */
void names_add(struct names *names, uint64_t id, struct path *path);

/* The path for an id, borrowed until the next names_add; NULL (counted) when unknown. */
struct path *names_find(struct names *names, uint64_t id);

/* Like names_find, but the entry leaves the table and the caller owns the reference. */
struct path *names_take(struct names *names, uint64_t id);

/*
 * Files: the name under which one was used last, by its inode and device. Takes
 * a reference of its own; the path borrowed until the next names_learn, or NULL.
 */
void names_learn(struct names *names, uint64_t ino, uint32_t dev, struct path *path);
/*
 * The same of a file of which no name is known, where there is a free place. True when there was.
 */
bool names_offer(struct names *names, uint64_t ino, uint32_t dev, struct path *path);
struct path *names_of_file(struct names *names, uint64_t ino, uint32_t dev);

const struct names_totals *names_totals(const struct names *names);
