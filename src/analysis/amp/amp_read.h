/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the processes of a directory did at each layer: its rows, with the programs that exec tells.
 */
#pragma once

#include "analysis/amp/amp_rows.h"
#include "analysis/amp/amp_spill.h"
#include "analysis/amp/cgroups.h"
#include "analysis/common/devices.h"
#include "analysis/common/table.h"
#include "analysis/common/row_filter.h"
#include "analysis/common/gaps.h"
#include "analysis/amp/programs.h"
#include "analysis/amp/renames.h"

/* Of tables of files, when none is given. */
enum { AMP_MEMORY = 256 << 20 };

struct amp_options {
	enum amp_by by;
	uint64_t interval_ns; /* 0: the whole time */
	bool net;             /* bytes of the network, too */
	uint64_t memory;      /* of tables of files, in bytes; 0: AMP_MEMORY */
};

struct amp_reading {
	struct read_session session;
	struct gaps gaps[AMP_N_STREAMS];
	bool on[AMP_N_STREAMS], exec; /* recorded */
	bool counted; /* calls and requests come from counters (layers), not from rows of fs and ds */
	char host[READ_HOST_SIZE];
	uint64_t first_ns, last_ns; /* mono_ns of the first and of the last row; equal: not known */
	struct wall wall;
	struct history programs;
	struct history cgroups; /* in tables of them */
	struct devices devices;
	struct history renames;         /* in tables of files */
	uint64_t unwritten;             /* bytes written that had not reached a device at the end */
	char number[TABLE_NUMBER_SIZE]; /* of a device that is not listed */
	struct amp_tasks tasks;
	struct amp_spill *spills; /* of threads; NULL: all tasks are in the table */
	unsigned n_spills;
};

/*
 * Reads dir, which stays the caller's; without fs or ds, what they would tell is missing, unless
 * layers has counted it. Returns 0, -EINVAL (a time of the filter, reported) or what a directory
 * that cannot be read gives (reported). To be closed in any case.
 */
int amp_reading_open(struct amp_reading *reading, const char *dir, const struct row_filter *filter,
		     const struct amp_options *options);
/*
 * Puts the tasks aside in parts, if they are not there already; takes one part back, in place of
 * the table's. 0 or -errno.
 */
int amp_reading_spill(struct amp_reading *reading);
int amp_reading_take(struct amp_reading *reading, unsigned part);
/* Returns 0 or -ENOMEM. */
int amp_reading_add(struct amp_reading *reading, struct amp_groups *groups);
/* Its rows of fs are of what reaches file systems, not of system calls alone. */
bool amp_reading_counts_vfs(const struct amp_reading *reading);
void amp_reading_close(struct amp_reading *reading);
