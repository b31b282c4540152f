/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amplification: what system calls asked for, what reached file systems for it, and what
 * devices did. Sums for each process and name of a thread, from rows of fs and ds, and from them
 * those of storage systems, processes, names or hosts.
 */
#ifndef IOT_AMP_H
#define IOT_AMP_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/pool.h"
#include "analysis/systems.h"

enum amp_layer { AMP_SYS, AMP_VFS, AMP_BLK, AMP_N_LAYERS };
enum amp_direction { AMP_READ, AMP_WRITE, AMP_N_DIRECTIONS };
/* Of bytes of devices, as far as a request tells. */
enum amp_class { AMP_DATA, AMP_METADATA, AMP_JOURNAL, AMP_N_CLASSES };

enum { AMP_SMALL = 4096 };

struct amp_side {
	uint64_t count;
	uint64_t bytes;
	uint64_t errors;
	uint64_t timed; /* of these the time is known */
	uint64_t ns;
};

struct amp_sums {
	struct amp_side sides[AMP_N_LAYERS][AMP_N_DIRECTIONS];
	uint64_t classes[AMP_N_CLASSES]; /* bytes written */
	uint64_t small_writes;           /* system calls that wrote less than AMP_SMALL bytes */
	uint64_t syncs;
};

/* A process under one program and one name of a thread. */
struct amp_task {
	struct amp_task *next; /* in its slot */
	const char *comm;
	const char *program; /* NULL: not known */
	const char *system;  /* of the process, in tables of processes */
	uint64_t pid;
	struct amp_sums sums;
};

/* The zeroed table is empty. */
struct amp_tasks {
	struct amp_task **slots;
	uint64_t n_slots, n;
	struct pool pool;
	bool no_memory; /* sums are missing */
};

/* program stays the caller's. NULL without memory. */
struct amp_sums *amp_task_sums(struct amp_tasks *tasks, uint64_t pid, const char *program,
			       const char *comm, size_t comm_len);
void amp_sums_join(struct amp_sums *sums, const struct amp_sums *other);
void amp_tasks_free(struct amp_tasks *tasks);

/* ---- answers ---- */

enum amp_by { AMP_BY_SYSTEM, AMP_BY_PROCESS, AMP_BY_COMM, AMP_BY_HOST, AMP_N_BY };
extern const char *const amp_by_names[AMP_N_BY + 1];

struct amp_group {
	struct amp_group *next; /* in its slot */
	const char *host;
	const char *name;
	uint64_t pid; /* of AMP_BY_PROCESS */
	bool vfs;     /* counted: tier a */
	struct amp_sums sums;
};

enum { AMP_GROUP_SLOTS = 4096 };

struct amp_groups {
	enum amp_by by;
	const struct systems *systems;
	struct amp_group *
		*list; /* those that moved most bytes on devices or asked for most come first */
	uint64_t n, max;
	struct amp_group *slots[AMP_GROUP_SLOTS];
	struct pool pool;
};

/* Joins a host's tasks to the groups that they belong to. Returns 0 or -ENOMEM. */
int amp_groups_add(struct amp_groups *groups, const char *host, const struct amp_tasks *tasks,
		   bool vfs);
void amp_groups_sort(struct amp_groups *groups);
void amp_groups_free(struct amp_groups *groups);

/* In millionths: (VFS + BLK) / SYS by count; false: not known, or division by nothing. */
bool amp_by_count(const struct amp_group *group, enum amp_direction direction, uint64_t *ratio);
/* Device requests for each system call. */
bool amp_requests(const struct amp_group *group, enum amp_direction direction, uint64_t *ratio);
/* Device bytes for each byte of system calls. */
bool amp_by_bytes(const struct amp_group *group, enum amp_direction direction, uint64_t *ratio);
/* "perfect" (up to 1), "good" (3), "moderate" (10), "high". */
const char *amp_band(uint64_t ratio);

#endif
