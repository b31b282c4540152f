/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way from a directory to where the time of its operations went. */
#pragma once

#include "analysis/common/gaps.h"
#include "analysis/common/row_filter.h"
#include "analysis/why/why.h"

struct why_reading {
	struct read_session session;
	char host[READ_HOST_SIZE];
	struct gaps gaps; /* of fs */
	uint64_t n_alone; /* operations that no thread waits for */
	uint64_t early;   /* operations that were settled for want of room */
	bool has_sched, has_ds;
};

/*
 * Adds the operations of a directory that filter chooses, in that many bytes. Returns 0, -EINVAL (a time),
 * -ENOMEM or what a directory that cannot be read gives, all reported. Its session is to be closed in any case.
 */
int why_reading_open(struct why_reading *reading, const char *dir, const struct row_filter *filter,
		     uint64_t memory, struct why *why);
