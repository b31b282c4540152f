/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries of more files than fit in memory, in the order in which they are printed: each batch is sorted
 * and written to a temporary file, and all are merged at the end.
 */
#pragma once

#include "analysis/files/files_answer.h"

struct files_run;

/* Zeroed except column, top and plain it is ready. */
struct files_runs {
	const char *column; /* that they are sorted by; NULL: bytes */
	uint64_t top;       /* so many of them, 0: all */
	bool plain;         /* without histograms, errors and the numbers of processes */

	bool open;
	int fd;
	uint64_t bytes;
	struct files_run *runs;
	unsigned n;
	uint64_t max;
	uint64_t n_entries; /* of all batches */
	uint64_t n_given;
	int err;
};

/* All entries of a batch, whose calls, hosts and names of threads stay. Returns 0 or -errno. */
int files_runs_add(struct files_runs *runs, const struct files_answer *batch);
/* As files_next_fn: valid until the next call. False at the end: err says whether it is one. */
bool files_runs_next(void *runs, struct files_entry *entry);
void files_runs_close(struct files_runs *runs);
