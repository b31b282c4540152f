/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of each stream that a report reads, and the place of each among the fields of a row. */
#ifndef IOT_REPORT_ROWS_PRIVATE_H
#define IOT_REPORT_ROWS_PRIVATE_H

#include "analysis/common/layers_columns.h"
#include "analysis/report/report_rows.h"

enum { FS_OPERATION = REPORT_OWN, FS_LATENCY, FS_RESULT, FS_FLAGS, N_FS };
enum {
	DS_OPERATION = REPORT_OWN,
	DS_SIZE,
	DS_LATENCY,
	DS_QUEUE,
	DS_DEV,
	DS_ERROR,
	DS_OWNER_PID,
	DS_OWNER_COMMAND,
	DS_CAUSE,
	DS_FILE,
	N_DS
};
/* from a column on */
enum { END_PROTOCOL, END_SOURCE, END_DEST, END_SOURCE_PORT, END_DEST_PORT, N_ENDS };
enum {
	NW_ENDS = REPORT_OWN,
	NW_SIZE = NW_ENDS + N_ENDS,
	NW_DIRECTION,
	NW_LATENCY,
	NW_ERROR,
	NW_FLAGS,
	N_NW
};
enum { DROP_ENDS = REPORT_OWN, DROP_EVENT = DROP_ENDS + N_ENDS, N_DROP };
enum { CACHE_EVENT = REPORT_OWN, CACHE_INODE, CACHE_DEVICE, CACHE_COUNT, N_CACHE };
enum { FAULT_TYPE = REPORT_OWN, FAULT_SEVERITY, FAULT_INODE, FAULT_DEVICE, FAULT_LATENCY, N_FAULT };
enum { URING_EVENT = REPORT_OWN, URING_OPCODE, URING_RESULT, URING_LATENCY, N_URING };
enum { EVENT_TYPE = REPORT_OWN, EVENT_RESULT, EVENT_LATENCY, N_EVENT };

enum { SCHED_RUN = REPORT_OWN, SCHED_STATE, SCHED_SLEEP, SCHED_DELAY, N_SCHED };
enum { LAYERS_COLUMNS_FROM(REPORT_OWN) };

/* The file of a row of cache; NULL: none, or no memory. */
struct report_item *report_cached_file(struct report_tally *tally, const struct field *fields);
/* What the row did to the pages of a file; NULL: of none. */
void report_count_pages(struct report_item *file, const struct field *fields);

extern const struct read_column report_fs_columns[N_FS], report_ds_columns[N_DS],
	report_nw_columns[N_NW], report_drop_columns[N_DROP], report_cache_columns[N_CACHE],
	report_fault_columns[N_FAULT], report_uring_columns[N_URING], report_event_columns[N_EVENT],
	report_exec_columns[N_EVENT], report_sched_columns[N_SCHED],
	report_layers_columns[N_LAYERS];

#endif
