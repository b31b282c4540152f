/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns that a report reads. */
#pragma once

#include "analysis/common/rows_seen.h"
#include "analysis/report/report_fields.h"

/* Of a column that files of a trace do not have. */
extern const struct column_meaning report_column_meanings[];

extern const struct read_column report_fs_columns[N_FS], report_ds_columns[N_DS],
	report_nw_columns[N_NW], report_drop_columns[N_DROP], report_cache_columns[N_CACHE],
	report_fault_columns[N_FAULT], report_uring_columns[N_URING], report_event_columns[N_EVENT],
	report_exec_columns[N_EXEC], report_sched_columns[N_SCHED], report_netfs_columns[N_NETFS],
	report_layers_columns[N_LAYERS], report_stacks_columns[N_STACKS];
