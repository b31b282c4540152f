/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of more files than fit in memory: tables that are full go to a temporary file, in parts by
 * the name of the file, and what belongs together is joined part by part. The groups of all parts
 * are merged in the order in which they are printed.
 */
#pragma once

#include "analysis/amp/amp.h"
#include "base/parts_file.h"

/* Of one thread; zeroed it is closed. */
struct amp_spill {
	struct parts_file file;
	uint64_t look_at; /* what the pool of the table has then */
};

/* Whether a table takes more than it may; looked at now and then. */
bool amp_spill_is_due(struct amp_spill *spill, const struct amp_tasks *tasks, uint64_t share);
/* Puts all tasks aside; the table is empty then. */
void amp_spill_put(struct amp_spill *spill, struct amp_tasks *tasks);
/* Joins those of a part to the table. Returns 0 or -errno. */
int amp_spill_take(const struct amp_spill *spill, unsigned part, struct amp_tasks *tasks);
void amp_spill_close(struct amp_spill *spill);

struct amp_run;

/* Zeroed it is empty. */
struct amp_runs {
	bool open;
	int fd;
	uint64_t bytes;
	struct amp_run *runs;
	unsigned n;
	int err; /* -errno: not all are given */
};

/* The groups of a part, sorted, whose hosts stay. Returns 0 or -errno. */
int amp_runs_add(struct amp_runs *runs, const struct amp_groups *groups);
/* The next one of all, valid until the next call; NULL at the end. */
const struct amp_group *amp_runs_next(void *runs);
/* The first ones, 0: all, as groups in their order. Returns 0 or -errno. */
int amp_runs_take(struct amp_runs *runs, struct amp_groups *groups, uint64_t top);
void amp_runs_close(struct amp_runs *runs);
