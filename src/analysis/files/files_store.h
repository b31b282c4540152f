/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are kept outside of the memory: one record (files_pack.h) for each mount
 * namespace and path, in a database without a name beside the tables of a summary. What is
 * not committed is not there after an error. One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct files_store;

/* Which file, and the bytes of its record. */
struct files_store_record {
	uint32_t mntns;
	const char *path;
	size_t path_len;
	const void *bytes;
	size_t len;
};

/* All that return int: 0 or -errno. */
int files_store_open(struct files_store **shelf, int dir_fd, const char *folder);
void files_store_close(struct files_store *shelf); /* also of NULL */

int files_store_begin(struct files_store *shelf);
/* Instead of the one that is there. rank: what records are walked by, if this one is at all. */
int files_store_put(struct files_store *shelf, const struct files_store_record *record, bool ranked,
		    uint64_t rank);
int files_store_commit(struct files_store *shelf);
void files_store_rollback(struct files_store *shelf);

/*
 * record names the file; its bytes are valid until the next call that finds one. 1: found,
 * 0: there is none, or -errno.
 */
int files_store_find(struct files_store *shelf, struct files_store_record *record);
/* 1: there is a record of a path below this one; 0, or -errno. */
int files_store_has_below(struct files_store *shelf, const struct files_store_record *record);

/* Those with a rank, the highest first, then by mount namespace and path; 1, 0 at the end, -errno. */
void files_store_rewind(struct files_store *shelf);
int files_store_next(struct files_store *shelf, struct files_store_record *record);

uint64_t files_store_bytes(struct files_store *shelf); /* on the disk */
