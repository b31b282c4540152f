/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amplification: what system calls asked for, what reached file systems for it, and what
 * devices did. Sums for each process and name of a thread, from rows of fs and ds, and from them
 * those of storage systems, processes, names, devices or hosts, for the whole time or for each
 * interval of it.
 */
#ifndef IOT_AMP_H
#define IOT_AMP_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/latency_set.h"
#include "analysis/common/pool.h"
#include "analysis/amp/systems.h"
#include "analysis/common/wall.h"

enum amp_layer { AMP_SYS, AMP_VFS, AMP_BLK, AMP_N_LAYERS };
enum amp_direction { AMP_READ, AMP_WRITE, AMP_N_DIRECTIONS };
/* Of bytes of devices, as far as a request tells. */
enum amp_class { AMP_DATA, AMP_METADATA, AMP_JOURNAL, AMP_N_CLASSES };

enum { AMP_SMALL = 4096, AMP_LEAST = 1 << 20 }; /* of fewer bytes there is no verdict */

struct amp_side {
	uint64_t count;
	uint64_t bytes;
	uint64_t errors;
	uint64_t timed;  /* of these the time is known */
	uint64_t summed; /* and of these only what all took together: there are no percentiles */
	uint64_t ns;
	uint64_t max_ns;
};

struct amp_sums {
	struct amp_side sides[AMP_N_LAYERS][AMP_N_DIRECTIONS];
	uint64_t classes[AMP_N_CLASSES]; /* bytes written */
	uint64_t small_writes;           /* system calls that wrote less than AMP_SMALL bytes */
	uint64_t syncs;
	uint64_t unwritten; /* bytes written to files that had not reached a device at the end */
	uint64_t net[AMP_N_DIRECTIONS]; /* bytes from other hosts, and to them */
	struct latency_set times;       /* kinds: amp_kind() */
};

static inline unsigned amp_kind(enum amp_layer layer, enum amp_direction direction)
{
	return (unsigned)layer * AMP_N_DIRECTIONS + (unsigned)direction;
}

/* Whose sums. */
struct amp_key {
	uint64_t pid;
	const char *program; /* NULL: not known */
	const char *comm;    /* in tables of files and control groups the path instead, pid 0 */
	size_t comm_len;
	uint64_t interval; /* number of it since mono_ns 0; 0 without intervals */
	uint64_t device;   /* major << 20 | minor of the disk; 0 but in tables of devices */
};

/* A process under one program and one name of a thread. */
struct amp_task {
	struct amp_task *next; /* in its slot */
	const char *comm;
	const char *program; /* NULL: not known */
	const char *system;  /* of the process, in tables of processes */
	uint64_t pid;
	uint64_t interval;
	uint64_t device;
	struct amp_sums sums;
};

/* The zeroed table is empty. */
struct amp_tasks {
	struct amp_task **slots;
	uint64_t n_slots, n;
	struct pool pool;
	bool no_memory; /* sums are missing */
};

/* Finds the task of a key, or makes one. The key's program stays the caller's. NULL: no memory. */
struct amp_task *amp_tasks_of(struct amp_tasks *tasks, const struct amp_key *key);
struct amp_sums *amp_task_sums(struct amp_tasks *tasks, const struct amp_key *key);
/* A call or a request; timed: its time is known. False without memory. */
bool amp_sums_add(struct amp_sums *sums, enum amp_layer layer, enum amp_direction direction,
		  uint64_t bytes, bool failed, bool timed, uint64_t ns);
/* So many together, as counters have them. */
void amp_sums_count(struct amp_sums *sums, enum amp_layer layer, enum amp_direction direction,
		    const struct amp_side *side);
/* False without memory. */
bool amp_sums_join(struct amp_sums *sums, const struct amp_sums *other);
/* The same of a task of another table: its sums are added to. */
void amp_tasks_put(struct amp_tasks *tasks, const struct amp_task *task);
/* The sums that the task of these sums, which another table has, has in this one. NULL without memory. */
struct amp_sums *amp_tasks_same(struct amp_tasks *tasks, struct amp_sums *sums);
/* All that are in other, too. */
void amp_tasks_join(struct amp_tasks *tasks, const struct amp_tasks *other);
void amp_tasks_free(struct amp_tasks *tasks);

/* ---- answers ---- */

enum amp_by {
	AMP_BY_SYSTEM,
	AMP_BY_PROCESS,
	AMP_BY_COMM,
	AMP_BY_FILE,
	AMP_BY_DEVICE,
	AMP_BY_CGROUP,
	AMP_BY_HOST,
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
/* All that are in other, of this host, too. Returns 0 or -ENOMEM. */
int amp_groups_join(struct amp_groups *groups, const struct amp_groups *other,
		    const struct amp_host *host);
/* A copy of a group of others comes last. Returns 0 or -ENOMEM. */
int amp_groups_put(struct amp_groups *groups, const struct amp_group *group);
/* Which of two comes first. */
int amp_group_compare(const struct amp_group *a, const struct amp_group *b);
void amp_groups_sort(struct amp_groups *groups);
void amp_groups_free(struct amp_groups *groups);

/* In millionths: (VFS + BLK) / SYS by count; false: not known, or division by nothing. */
bool amp_by_count(const struct amp_group *group, enum amp_direction direction, uint64_t *ratio);
/* ns which so many of a thousand do not exceed; false: no time is known. */
bool amp_percentile(const struct amp_group *group, enum amp_layer layer,
		    enum amp_direction direction, unsigned per_mille, uint64_t *ns);
/* Device bytes for each byte of system calls. */
bool amp_by_bytes(const struct amp_group *group, enum amp_direction direction, uint64_t *ratio);
/* Bytes sent to other hosts for each byte received from them. */
bool amp_by_net(const struct amp_group *group, uint64_t *ratio);
/* Most of what was written may not have reached a device yet: a factor would say nothing. */
bool amp_waits(const struct amp_group *group, enum amp_direction direction);
/* "perfect" (up to 1), "good" (3), "moderate" (10), "high". */
const char *amp_band(uint64_t ratio);

#endif
