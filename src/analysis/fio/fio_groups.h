/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A load in groups, each of which becomes a job of profile.fio. */
#pragma once

#include "analysis/fio/fio_replay.h"

/* Of a kind: 1 read, 2 written, 3 both, and this times 0 to 2: small, medium, large requests on average. */
enum { FIO_KIND_SIZES = 4 };

/* What jobs of one program did to files of one kind. */
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
void fio_groups_free(struct fio_groups *groups);
