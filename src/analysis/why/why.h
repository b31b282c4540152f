/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers where the time of operations went: added up by a key, and the slowest of them one by one. Knows
 * nothing of requests and wake-ups but what why_model.h makes of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/hash_index.h"
#include "analysis/common/pool.h"
#include "analysis/common/why_rows.h"

enum why_by {
	WHY_BY_OPERATION,
	WHY_BY_FILE,
	WHY_BY_PROCESS,
	WHY_BY_THREAD,
	WHY_BY_WAKER,
	WHY_BY_CONTAINER,
	N_WHY_BY
};
extern const char *const why_by_names[N_WHY_BY + 1]; /* up to NULL */

struct why_group {
	const char *host;
	const char *name;    /* of operation, file, waker or container; NULL: none */
	const char *command; /* of process or thread */
	uint32_t pid, tid;
	uint64_t count; /* operations */
	/* of them, or of a thread: its whole time */
	uint64_t latency, ns[WHY_PARTS];
	uint64_t elsewhere; /* of a thread: asleep outside of them */
	struct why_wakers wakers;
};

struct why_slow {
	const char *host;
	struct why_operation operation; /* its path is of this struct */
	struct why_split split;
	char *path;
	size_t path_room;
};

/* All zero, apart from the first three, is empty. */
struct why {
	enum why_by by;
	uint64_t min_latency;                /* ns: of operations that are looked at */
	uint64_t top;                        /* slowest ones to keep */
	const char *host;                    /* of what comes */
	const struct process_containers *in; /* the same; where it is added up by them */
	struct why_group *groups;
	uint64_t n_groups, max_groups;
	struct hash_index index;
	uint64_t most_groups;     /* 0: any number */
	struct why_group rest;    /* of those that found no room */
	struct why_slow *slowest; /* a heap, the quickest first, until they are sorted */
	uint64_t n_slowest, max_slowest;
	struct why_names names;
	struct pool pool;
	bool has_servers; /* requests to servers were recorded somewhere */
	bool no_memory;
};

/* Of its kind. */
const char *why_operation_name(const struct why_operation *operation);

/* For struct why_model, with a struct why as its argument. */
void why_settled(void *why, const struct why_operation *operation, const struct why_split *split);
void why_thread_seen(void *why, const struct why_thread *thread);

/* What takes longest first. */
void why_sort(struct why *why);
void why_free(struct why *why);
