/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of an operation went: rows of sched and of devices, and the operations themselves, in the
 * order of their times; parts that add up to the latency, to the nanosecond.
 */
#pragma once

#include <stddef.h>

#include "analysis/common/why_requests.h"
#include "analysis/common/why_threads.h"
#include "analysis/common/why_wakers.h"

/*
 * In the order in which they are shown: PART(name, column, heading of a table, words, letter of a bar, class of a
 * picture and its colour on a light ground and on a dark one).
 */
/* clang-format off */
#define WHY_EACH_PART(PART) \
	/* on a CPU */ \
	PART(RUN, "run_ns", "run", "run", 'R', ".p0", "#1f7a4d", "#2f9463") \
	/* ready, without one */ \
	PART(RUNQUEUE, "runqueue_ns", "runqueue", "run queue", 'q', ".p1", "#b4560c", "#f0a55f") \
	/* asleep, a request that it may wait for is in the queue of a device */ \
	PART(DEVICE_QUEUE, "device_queue_ns", "dev queue", "device queue", 'd', ".p2", "#74b3e3", "#74b3e3") \
	/* or in the device */ \
	PART(DEVICE, "device_ns", "device", "device", 'D', ".p3", "#0b62a8", "#2f80c9") \
	/* or none is, and one to a server waits to be sent */ \
	PART(SERVER_QUEUE, "server_queue_ns", "srv queue", "server queue", 's', ".p4", "#e0a3b4", "#e0a3b4") \
	/* or for the reply */ \
	PART(SERVER, "server_ns", "server", "server", 'S', ".p5", "#a8385a", "#c9597a") \
	/* asleep for anything else */ \
	PART(WAIT, "wait_ns", "wait", "wait", 'w', ".p6", "#7a3e9d", "#9a63bd") \
	/* nothing that was recorded covers it */ \
	PART(UNKNOWN, "unknown_ns", "unknown", "unknown", '?', ".p7", "#9aa4af", "#5b6470")
/* clang-format on */

#define WHY_PART_ENUM(name, ...) WHY_##name,
enum why_part { WHY_EACH_PART(WHY_PART_ENUM) WHY_PARTS };

/* So long in one part, one after the other; within a sleep queues and what they are of, then the rest. */
struct why_piece {
	uint64_t ns;
	enum why_part part;
};

enum { WHY_PIECES = 64 };

struct why_split {
	uint64_t ns[WHY_PARTS];
	struct why_piece pieces[WHY_PIECES]; /* the first of them */
	unsigned n_pieces;
	struct why_wakers wakers; /* of WHY_WAIT */
};

struct why_operation {
	uint64_t start, latency; /* ns */
	struct why_sleeper who;
	bool alone;       /* no thread waits for it: AIO, io_uring */
	unsigned kind;    /* of the caller's, and so below */
	const char *name; /* of its kind, if it has one of its own; NULL: kind says it */
	const char *command;
	const char *path; /* of path_len bytes, copied until it is settled */
	size_t path_len;
};

struct why_model {
	/* Each operation, once, when nothing that says of it can come any more. */
	void (*settled)(void *arg, const struct why_operation *operation,
			const struct why_split *split);
	/* A thread that has ended, or all that are left at the end. May be NULL. */
	void (*thread)(void *arg, const struct why_thread *thread);
	void *arg;
	bool has_threads; /* sched was recorded */
	bool all_threads; /* and nothing of it was lost */
	/* not to be set */
	uint64_t began;
	struct why_threads threads;
	struct why_requests requests;
	struct why_pending *pending; /* operations: free ones, and others */
	uint64_t n_pending, max_pending, free;
	uint32_t *heap; /* of them, by when they ended */
	uint64_t n_heap, max_heap;
	uint64_t n_waiting;
	uint64_t early; /* settled before all was known, for want of room */
	bool no_memory;
};

/*
 * Of a zeroed one with what is to be set; bytes that it may take, when tracing began, and between which times
 * threads are added up.
 */
void why_model_begin(struct why_model *model, uint64_t memory, uint64_t began, uint64_t from,
		     uint64_t to);
/*
 * pid and name: of the thread, which has them now. A stretch that is nothing but its end (start is 0) is that
 * of a thread on a CPU, nobody saw since when.
 */
void why_model_run(struct why_model *model, uint32_t tid, uint32_t pid, const char *name,
		   const struct why_stretch *stretch);
void why_model_request(struct why_model *model, const struct why_request *request);
void why_model_operation(struct why_model *model, const struct why_operation *operation);
/*
 * All that ended by now has come. Call it before each row is given, with its time: it settles
 * what can be settled by now.
 */
void why_model_time(struct why_model *model, uint64_t now);
/* Nothing comes any more. */
void why_model_end(struct why_model *model);
void why_model_free(struct why_model *model);
