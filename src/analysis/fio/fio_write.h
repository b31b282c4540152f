/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job files, what is laid out before they run, and the list of names. */
#pragma once

#include "analysis/common/gaps.h"
#include "analysis/fio/fio_replay.h"

struct fio_plan {
	const char *dir;  /* of the trace */
	const char *out;  /* absolute, and so is the next: of plain characters alone */
	const char *into; /* the scratch directory */
	int out_fd;
	bool no_wait;
	unsigned format;
};

struct fio_laid {
	uint64_t files, bytes;
};

/*
 * replay.fio comes last: a directory without it is not whole. Returns 0 or -errno. What fio is to
 * lay out is counted.
 */
int fio_write(const struct fio_plan *plan, const struct fio_replay *replay, const struct gaps *gaps,
	      struct fio_laid *laid);
/* Removes what fio_write() and the logs left. */
void fio_unwrite(const struct fio_plan *plan, uint64_t n_jobs);
