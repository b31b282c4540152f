/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The load as distributions: what fio then draws from, as often as one likes. */
#pragma once

#include <stdio.h>

#include "analysis/fio/fio_plan.h"
#include "analysis/fio/fio_replay.h"

/* What jobs of one program did to one kind of file: those that were read, written, or both. */
struct fio_group {
	const char *command;
	uint8_t klass, kind;
	uint16_t depth;
	/* last_job: the one that was counted last */
	uint32_t n_jobs, last_job;
	/* files count for each job that used them; span_ns: the time of the jobs, added up */
	uint64_t n_files, span_ns;
	struct fio_shape shape;
};

struct fio_groups {
	struct fio_group *list;
	uint64_t n, max;
};

/* Those that did most first. False without memory. */
bool fio_groups_make(struct fio_groups *groups, const struct fio_replay *replay);
/* Options of a job for an enum fio_class */
void fio_put_class(FILE *out, unsigned klass, unsigned depth);
/* The jobs of profile.fio, behind its head. */
void fio_profile_put(FILE *out, const struct fio_groups *groups, const struct fio_plan *plan);
void fio_groups_free(struct fio_groups *groups);
