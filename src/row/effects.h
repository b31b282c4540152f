/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a row counts as: whose bytes it read or wrote, and whether it is a sync. One function for
 * each kind of row, which the recorder and all readers ask, so that they agree; of fs, the list of
 * operations (probes/schema/fs_ops.def) has the answers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "row/parse.h"

enum effect {
	READS = 1,  /* from the first file of the row, as many bytes as its result says */
	WRITES = 2, /* to the first file */
	WRITES_SECOND = 4,
	SYNCS = 8,
	LOCKS = 16, /* asks for a lock: neither gives one back nor looks whether there is one */
};

/* Of an operation of enum iot_op by its numbers: flags as in the record. */
unsigned fs_effects(unsigned op, unsigned flags);
/*
 * The same by columns of a row: SPLICE without flags reads, and SENDFILE with one name wrote to no
 * file.
 */
unsigned fs_row_effects(unsigned op, const struct field *flags, const struct field *filename);

/*
 * The second path of "FIRST -> SECOND"; NULL: it is not a pair of absolute paths. The first one
 * ends PATHS_BETWEEN bytes before.
 */
enum { PATHS_BETWEEN = 4 };
const char *second_path(const char *filename, size_t len);

/*
 * By the column operation of ds, an enum ds_operation: a discard, and what else is done to blocks,
 * moves no bytes.
 */
unsigned ds_effects(unsigned operation);

/* By the column opcode of iouring: of files, and (also) of sockets. */
unsigned uring_effects(const struct field *opcode);
unsigned uring_socket_effects(const struct field *opcode);

static inline bool effect_reads(unsigned effects)
{
	return effects & READS;
}

static inline bool effect_writes(unsigned effects)
{
	return effects & (WRITES | WRITES_SECOND);
}

/*
 * Whether a path is that of a file or of a device with blocks. Sockets and pipes have no path;
 * reading from a terminal is waiting for somebody, and what character devices move is on nobody's
 * disk.
 */
bool is_file_or_disk(const char *path, size_t len);
