/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are kept outside of the memory: one record (files_pack.h) for each mount
 * namespace and path, in a database without a name beside the tables of a summary. What is
 * not committed is not there after an error. One thread at a time.
 */
#ifndef IOT_FILES_SHELF_H
#define IOT_FILES_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct files_shelf;

/* Which file, and the bytes of its record. */
struct files_shelf_record {
	uint32_t mntns;
	const char *path;
	size_t path_len;
	const void *bytes;
	size_t len;
};

/* All that return int: 0 or -errno. */
int files_shelf_open(struct files_shelf **shelf, int dir_fd, const char *folder);
void files_shelf_close(struct files_shelf *shelf); /* also of NULL */

int files_shelf_begin(struct files_shelf *shelf);
/* Instead of the one that is there. rank: what records are walked by, if this one is at all. */
int files_shelf_put(struct files_shelf *shelf, const struct files_shelf_record *record, bool ranked,
		    uint64_t rank);
int files_shelf_commit(struct files_shelf *shelf);
void files_shelf_rollback(struct files_shelf *shelf);

/*
 * record names the file; its bytes are valid until the next call that finds one. 1: found,
 * 0: there is none, or -errno.
 */
int files_shelf_find(struct files_shelf *shelf, struct files_shelf_record *record);
/* 1: there is a record of a path below this one; 0, or -errno. */
int files_shelf_has_below(struct files_shelf *shelf, const struct files_shelf_record *record);

/* Those with a rank, the highest first, then by mount namespace and path; 1, 0 at the end, -errno. */
void files_shelf_rewind(struct files_shelf *shelf);
int files_shelf_next(struct files_shelf *shelf, struct files_shelf_record *record);

uint64_t files_shelf_bytes(struct files_shelf *shelf); /* on the disk */

#endif
