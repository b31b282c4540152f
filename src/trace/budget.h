/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps what a recording costs below a budget, by levels of detail: from what was measured and the
 * level now to the next level. It measures nothing and tells nobody: no clocks, no system calls.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "probes/schema/stream_id.h"

/*
 * What is left out, in this order. First rows of events of which there are most and each tells
 * least (BUDGET_DETAIL): one of 8, then of 64. Then all rows, by the whole file, request or thread: one
 * of 2, 4 … 1024. Then all rows of both: counts are left.
 */
enum budget_group { BUDGET_DETAIL, BUDGET_ROWS, N_BUDGET_GROUPS };
enum { BUDGET_DETAIL_STEPS = 2, BUDGET_DETAIL_STEP = 3, BUDGET_STEPS = 10 };

/* The group of a stream; N_BUDGET_GROUPS: nothing of it is left out. */
enum budget_group budget_group_of(enum stream_id stream);

struct budget_limits {
	double cpus;  /* that the recording may use; 0: any */
	double bytes; /* of rows that it may write per second; 0: any */
};

/* What was measured in an interval; all but seconds are per second. */
struct budget_cost {
	double seconds;
	double own;      /* CPUs: of the tracer */
	double programs; /* and of its programs */
	double bytes;    /* of rows */
	double rows[N_BUDGET_GROUPS];
	double left_out[N_BUDGET_GROUPS];
};

struct budget {
	struct budget_limits limits;
	unsigned first; /* levels that leave out rows of detail alone: BUDGET_DETAIL_STEPS, or 0 */
	unsigned level;
	double row_cost; /* CPUs that a row takes per second */
	double row_bytes;
	unsigned over;     /* intervals in a row above the budget, */
	unsigned fits;     /* or in which more detail would have been below it */
	unsigned settling; /* that still show what was before the last change */
	unsigned hold;     /* intervals in which more must fit, until there is more */
	unsigned since;    /* the last change to more detail */
	double tried;      /* events per second when that was too much; 0: it never was */
	bool too_small;    /* the least that is possible costs more */
};

/* detail: some stream of that group is recorded */
void budget_begin(struct budget *budget, const struct budget_limits *limits, bool detail);

unsigned budget_last(const struct budget *budget);
/* Of so many files, requests or threads one is kept at this level; 0: none. */
uint32_t budget_factor(const struct budget *budget, unsigned level, enum budget_group group);

/* The level from now on, also in budget->level. */
unsigned budget_next(struct budget *budget, const struct budget_cost *cost);
