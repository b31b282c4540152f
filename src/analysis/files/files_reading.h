/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory whose fs rows are in models, all of them or a batch. */
#pragma once

#include "analysis/files/files_model.h"
#include "analysis/files/files_spill.h"
#include "analysis/common/gaps.h"
#include "analysis/common/thinning.h"

struct files_shard;

/* What was put aside, by model; the parts before this one are dealt with. */
struct files_level {
	struct files_spill *spills;
	unsigned part;
};

struct files_follow;

struct files_reading {
	struct read_session session;
	struct files_follow *follow; /* NULL: names are not followed */
	struct gaps gaps;
	struct gaps faults_gaps; /* of pagefault; no session: it was not recorded */
	struct thinning thinning;
	struct files_model *models;
	unsigned n_models;
	char host[READ_HOST_SIZE];
	/* of files that do not fit in memory (files_batches.h) */
	uint64_t share; /* bytes of one model */
	struct files_shard *shards;
	struct files_level levels[FILES_SPILL_LEVELS];
	unsigned n_levels; /* 0: all files are in the models */
	struct files_dirs dirs;
	uint64_t n_spilled; /* rows */
};
