/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fio lays out in the scratch directory before a replay. */
#pragma once

#include <stdio.h>

#include "analysis/fio/fio_plan.h"
#include "analysis/fio/fio_replay.h"

/* The logs. Returns 0 or -errno. */
int fio_layout_write(const struct fio_plan *plan, const struct fio_replay *replay,
		     struct fio_laid *laid);
/* The jobs that read them. */
void fio_layout_jobs(const struct fio_plan *plan, const struct fio_laid *laid, FILE *out);
void fio_layout_unwrite(const struct fio_plan *plan);
