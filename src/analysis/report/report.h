/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory at a glance: the model that text, CSV and JSON are
 * made of. Its rows are read once into sums, and those of fs a second time, in
 * order, into the use of files.
 */
#pragma once

#include "analysis/files/files_read.h"
#include "analysis/files/files_runs.h"
#include "analysis/report/report_limits.h"
#include "analysis/report/report_tally.h"
#include "analysis/common/thinning.h"
#include "analysis/common/wall.h"
#include "analysis/why/why.h"

struct report_noted_files;

struct report {
	struct read_session session;
	struct wall wall;
	char host[READ_HOST_SIZE];
	bool on[N_STREAMS];          /* it was recorded, and is looked at */
	struct gaps gaps[N_STREAMS]; /* of these */
	struct thinning thinning;
	struct report_tally tally;
	bool has_files;
	uint64_t memory; /* for files, as files_options has it: set before it is opened */
	bool compared;   /* with another one: set before it is opened */
	const struct replayed *
		replayed; /* the other is that of its replay, or it is that; NULL: neither. The same */
	struct files_reading files;
	struct files_runs by_name; /* its files, if they do not fit in memory and it is compared */
	struct report_limits limits;      /* of findings: set before it is opened */
	struct report_noted_files *noted; /* files that may be findings */
	struct why why;                   /* of operations, where sched was recorded, too */
	uint64_t from_ns, to_ns;          /* of the filter */
	uint64_t rows;
	uint64_t unreadable;        /* segments */
	uint64_t first_ns, last_ns; /* of all rows; 0: there was none */
};
