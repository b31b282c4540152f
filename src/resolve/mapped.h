/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which process has which mappings of files, through fork, exec and exit.
 */
#pragma once

#include "resolve/mappings.h"

struct mapped;

/* At most max processes (0: a default); above that the one used longest ago is forgotten. */
struct mapped *mapped_open(const struct procfs *proc, uint32_t max, uint64_t page_size);
void mapped_close(struct mapped *mapped);

/*
 * The mappings of a process, for changes to them; from now on they are
 * followed. Read from /proc at first sight, so ask for them at mmap already:
 * at munmap it is too late. Never looks at /proc after an exec: the records
 * tell all but the program itself. Valid until the next call of these; NULL
 * without memory.
 */
struct mappings *mapped_of(struct mapped *mapped, uint32_t tgid);

/*
 * The first file in a range of a process. removed: when a call ended that took
 * the range away; 0 for others, which may read /proc for what exec mapped.
 */
const struct mapping *mapped_find(struct mapped *mapped, uint32_t tgid, uint64_t start,
				  uint64_t end, uint64_t removed);

/* What an address of a process belongs to. */
enum mapped_kind {
	MAPPED_FILE,
	MAPPED_MEMORY,  /* no file's: every mapping of one is known, and the address is in none */
	MAPPED_UNKNOWN, /* the process ended before /proc could be asked, and nothing else tells */
};

/*
 * Of a fault; fetch: of an instruction. *found is as of mapped_find, NULL when it is not
 * MAPPED_FILE.
 */
enum mapped_kind mapped_fault(struct mapped *mapped, uint32_t tgid, uint64_t address, bool fetch,
			      const struct mapping **found);

/* Of processes that nobody asked for yet these do nothing. */
void mapped_fork(struct mapped *mapped, uint32_t parent, uint32_t child, uint64_t clone_flags,
		 uint64_t ts);
void mapped_exit(struct mapped *mapped, uint32_t tgid);

/*
 * Everything that was mapped is gone. Known or not, the process is followed
 * from here. program: its path as seen from here; NULL: not known.
 */
void mapped_exec(struct mapped *mapped, uint32_t tgid, struct path *program);

/* Records were lost: all are forgotten. */
void mapped_lost(struct mapped *mapped);
