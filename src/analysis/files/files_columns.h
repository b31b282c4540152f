/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of a file's sums, and the value that each has in an entry. */
#ifndef IOT_FILES_COLUMNS_H
#define IOT_FILES_COLUMNS_H

#include "analysis/files/files_answer.h"
#include "analysis/common/table.h"

/* In the order of --csv. */
enum files_sum_column {
	FILES_OPENS,
	FILES_CLOSES,
	FILES_READS,
	FILES_READ_ERRORS,
	FILES_READ_REQUESTED,
	FILES_READ_BYTES,
	FILES_READ_NS,
	FILES_READ_MAX_NS,
	FILES_FIRST_READ,
	FILES_LAST_READ,
	FILES_WRITES,
	FILES_WRITE_ERRORS,
	FILES_WRITE_REQUESTED,
	FILES_WRITE_BYTES,
	FILES_WRITE_NS,
	FILES_WRITE_MAX_NS,
	FILES_FIRST_WRITE,
	FILES_LAST_WRITE,
	FILES_REWRITES,
	FILES_SYNCS,
	FILES_SYNC_ERRORS,
	FILES_SYNCED_BYTES,
	FILES_SYNC_NS,
	FILES_SYNC_MAX_NS,
	FILES_LAST_SYNC,
	FILES_READ_SEQUENTIAL,
	FILES_WRITE_SEQUENTIAL,
	FILES_PIDS,
	N_FILES_SUM_COLUMNS
};

extern const struct table_column files_sum_columns[N_FILES_SUM_COLUMNS];
/* One of the columns that are times, rather than durations. */
bool files_sum_is_time(enum files_sum_column column);
struct table_value files_sum_value(const struct files_cell *cell, enum files_sum_column column);
/* Bytes read and written. */
uint64_t files_sum_bytes(const struct files_cell *cell);

#endif
