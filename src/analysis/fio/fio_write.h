/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job files, what is laid out before they run, and the list of names. */
#pragma once

#include "analysis/common/gaps.h"
#include "analysis/fio/fio_plan.h"
#include "analysis/fio/fio_replay.h"

/*
 * replay.fio comes last: a directory without it is not whole. Returns 0 or -errno. What fio is to
 * lay out is counted.
 */
int fio_write(const struct fio_plan *plan, const struct fio_replay *replay, const struct gaps *gaps,
	      struct fio_laid *laid);
/* Removes what fio_write() and the logs left. */
void fio_unwrite(const struct fio_plan *plan, uint64_t n_jobs);
