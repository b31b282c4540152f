/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amplification: what system calls asked for, what reached file systems for it, and what
 * devices did. Sums for each process and name of a thread, from rows of fs and ds, and from them
 * those of storage systems, processes, names, devices or hosts, for the whole time or for each
 * interval of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/amp/amp_tasks.h"
#include "analysis/amp/systems.h"
#include "analysis/common/wall.h"

enum amp_by {
	AMP_BY_SYSTEM,
	AMP_BY_PROCESS,
	AMP_BY_COMM,
	AMP_BY_FILE,
	AMP_BY_DEVICE,
	AMP_BY_CGROUP,
	AMP_BY_HOST,
	AMP_BY_CONTAINER,
	AMP_N_BY
};
extern const char *const amp_by_names[AMP_N_BY + 1];

struct amp_group {
	struct amp_group *next; /* in its slot */
	const char *host;
	const char *name;
	const char *time;  /* when its interval began; NULL: there are none */
	uint64_t pid;      /* of AMP_BY_PROCESS */
	uint64_t interval; /* number of it */
	bool vfs;          /* counted: tier a */
	struct amp_sums sums;
};

enum { AMP_GROUP_SLOTS = 4096 };

struct amp_groups {
	enum amp_by by;
	uint64_t interval_ns; /* 0: the whole time */
	const struct systems *systems;
	struct amp_group *
		*list; /* those that moved most bytes on devices or asked for most come first */
	uint64_t n, max;
	struct amp_group *slots[AMP_GROUP_SLOTS];
	struct pool pool;
};

/* What a host did. */
struct amp_host {
	const char *name;
	const struct amp_tasks *tasks;
	const struct wall *wall;                                /* of intervals */
	const char *(*device_name)(void *arg, uint64_t device); /* of tables of devices */
	void *arg;
	bool vfs; /* counted: tier a */
};

/* Joins a host's tasks to the groups that they belong to. Returns 0 or -ENOMEM. */
int amp_groups_add(struct amp_groups *groups, const struct amp_host *host);
/*
 * All that are in other, of this host, too. Returns 0 or -ENOMEM. Both are by the same, and
 * have intervals of the same length.
 */
int amp_groups_join(struct amp_groups *groups, const struct amp_groups *other,
		    const struct amp_host *host);
/* A copy of a group of others comes last. Returns 0 or -ENOMEM. */
int amp_groups_put(struct amp_groups *groups, const struct amp_group *group);
/* Which of two comes first. */
int amp_group_compare(const struct amp_group *a, const struct amp_group *b);
void amp_groups_sort(struct amp_groups *groups);
void amp_groups_free(struct amp_groups *groups);
