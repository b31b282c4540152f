/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each task did, by process, name of the thread, file and device. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/common/latency_set.h"
#include "analysis/common/pool.h"

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
/*
 * The sums that the task of these sums, which another table has, has in this one. NULL without
 * memory.
 */
struct amp_sums *amp_tasks_same(struct amp_tasks *tasks, struct amp_sums *sums);
/* All that are in other, too. */
void amp_tasks_join(struct amp_tasks *tasks, const struct amp_tasks *other);
void amp_tasks_free(struct amp_tasks *tasks);
