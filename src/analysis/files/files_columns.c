/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which number of a cell a column shows, and when there is none to show. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/files/files_columns.h"

const struct table_column files_sum_columns[N_FILES_SUM_COLUMNS] = {
	[FILES_OPENS] = { "opens", TABLE_COUNT },
	[FILES_CLOSES] = { "closes", TABLE_COUNT },
	[FILES_READS] = { "reads", TABLE_COUNT },
	[FILES_READ_ERRORS] = { "read_errors", TABLE_COUNT },
	[FILES_READ_REQUESTED] = { "read_requested", TABLE_BYTES },
	[FILES_READ_BYTES] = { "read_bytes", TABLE_BYTES },
	[FILES_READ_NS] = { "read_ns", TABLE_NS },
	[FILES_READ_MAX_NS] = { "read_max_ns", TABLE_NS },
	[FILES_FIRST_READ] = { "first_read_ns", TABLE_COUNT },
	[FILES_LAST_READ] = { "last_read_ns", TABLE_COUNT },
	[FILES_WRITES] = { "writes", TABLE_COUNT },
	[FILES_WRITE_ERRORS] = { "write_errors", TABLE_COUNT },
	[FILES_WRITE_REQUESTED] = { "write_requested", TABLE_BYTES },
	[FILES_WRITE_BYTES] = { "write_bytes", TABLE_BYTES },
	[FILES_WRITE_NS] = { "write_ns", TABLE_NS },
	[FILES_WRITE_MAX_NS] = { "write_max_ns", TABLE_NS },
	[FILES_FIRST_WRITE] = { "first_write_ns", TABLE_COUNT },
	[FILES_LAST_WRITE] = { "last_write_ns", TABLE_COUNT },
	[FILES_REWRITES] = { "rewrites", TABLE_COUNT },
	[FILES_SYNCS] = { "syncs", TABLE_COUNT },
	[FILES_SYNC_ERRORS] = { "sync_errors", TABLE_COUNT },
	[FILES_SYNCED_BYTES] = { "synced_bytes", TABLE_BYTES },
	[FILES_SYNC_NS] = { "sync_ns", TABLE_NS },
	[FILES_SYNC_MAX_NS] = { "sync_max_ns", TABLE_NS },
	[FILES_LAST_SYNC] = { "last_sync_ns", TABLE_COUNT },
	[FILES_READ_SEQUENTIAL] = { "read_sequential", TABLE_SHARE },
	[FILES_WRITE_SEQUENTIAL] = { "write_sequential", TABLE_SHARE },
	[FILES_PIDS] = { "pids", TABLE_COUNT },
};

bool files_sum_is_time(enum files_sum_column column)
{
	return column == FILES_FIRST_READ || column == FILES_LAST_READ ||
	       column == FILES_FIRST_WRITE || column == FILES_LAST_WRITE ||
	       column == FILES_LAST_SYNC;
}

/* Their column is a place behind the first of the kind's. */
static struct table_value calls_value(const struct files_calls *calls, unsigned column)
{
	switch (column) {
	case FILES_READS:
		return table_number(calls->calls);
	case FILES_READ_ERRORS:
		return table_number(calls->errors);
	case FILES_READ_NS:
		return table_number_if(calls->timed || !calls->calls, calls->ns);
	case FILES_READ_MAX_NS:
		return table_number_if(calls->timed, calls->max_ns);
	case FILES_FIRST_READ:
		return table_number_if(calls->calls, calls->first_ns);
	default:
		return table_number_if(calls->last_ns, calls->last_ns);
	}
}

static struct table_value transfers_value(const struct files_transfers *moved, unsigned column)
{
	if (column == FILES_READ_REQUESTED)
		return table_number(moved->requested);
	if (column == FILES_READ_BYTES)
		return table_number(moved->bytes);
	return calls_value(&moved->calls, column);
}

static struct table_value sync_value(const struct files_cell *cell, enum files_sum_column column)
{
	switch (column) {
	case FILES_SYNCS:
		return calls_value(&cell->syncs, FILES_READS);
	case FILES_SYNC_ERRORS:
		return calls_value(&cell->syncs, FILES_READ_ERRORS);
	case FILES_SYNCED_BYTES:
		return table_number(cell->synced_bytes);
	case FILES_SYNC_NS:
		return calls_value(&cell->syncs, FILES_READ_NS);
	case FILES_SYNC_MAX_NS:
		return calls_value(&cell->syncs, FILES_READ_MAX_NS);
	default:
		return calls_value(&cell->syncs, FILES_LAST_READ);
	}
}

struct table_value files_sum_value(const struct files_cell *cell, enum files_sum_column column)
{
	const struct files_transfers *read = &cell->moved[FILES_READ],
				     *write = &cell->moved[FILES_WRITE];

	if (column >= FILES_READS && column <= FILES_LAST_READ)
		return transfers_value(read, column);
	if (column >= FILES_WRITES && column <= FILES_LAST_WRITE)
		return transfers_value(write, FILES_READS + (column - FILES_WRITES));
	if (column >= FILES_SYNCS && column <= FILES_LAST_SYNC)
		return sync_value(cell, column);
	switch (column) {
	case FILES_OPENS:
		return table_number(cell->opens);
	case FILES_CLOSES:
		return table_number(cell->closes);
	case FILES_REWRITES:
		return table_number_if(cell->located_writes || !cell->completed_writes,
				       cell->rewrites);
	case FILES_READ_SEQUENTIAL:
		return table_share(read->sequential, read->located);
	case FILES_WRITE_SEQUENTIAL:
		return table_share(write->sequential, write->located);
	default:
		return table_number(cell->n_pids);
	}
}

uint64_t files_sum_bytes(const struct files_cell *cell)
{
	return cell->moved[FILES_READ].bytes + cell->moved[FILES_WRITE].bytes;
}
