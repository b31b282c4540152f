/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each thread did at which time, by the rows of sched: asleep, ready without a CPU, on one. Memory has
 * a bound: of the thread that has most, the oldest half is forgotten.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/why_wakers.h"

/* A row of sched: from when it left a CPU to when it left the next one; ns of CLOCK_MONOTONIC. */
struct why_stretch {
	uint64_t left;
	uint64_t woken; /* start: nobody saw the wake-up */
	uint64_t start;
	uint64_t end;
	const char *waker_name; /* NULL: nobody woke it; stays the caller's */
	uint32_t waker;         /* thread; 0: none */
	bool wake_seen;
	bool gone; /* it has ended */
};

struct why_thread {
	uint32_t tid;
	uint32_t waiting; /* an operation that waits for the next stretch: 1 + its number */
	struct why_stretch *items; /* of a ring */
	uint64_t max, first,
		n; /* room, a power of two; number of the first and behind the last one */
	/* of the part that is added up: when it was seen, and ns of its stretches */
	uint64_t seen_from, seen_to;
	uint64_t on_cpu, ready, asleep;
	struct why_wakers wakers;
	struct why_thread *next; /* of the same slot, and of all */
	struct why_thread *next_of_all, *previous_of_all;
	struct why_thread *next_gone;
	uint64_t gone_at; /* 0: it has not ended */
	const char *name; /* its last one; the caller's, and so below */
	uint32_t pid;
};

struct why_threads {
	struct why_thread **slots;
	uint64_t n_slots, n_threads;
	struct why_thread *all;
	uint64_t from, to;          /* the part that is added up */
	uint64_t n_stretches, most; /* in memory, and the bound of these */
	struct why_thread *first_gone, *last_gone;
	bool no_memory;
};

/* Made unless it is there; NULL without memory. */
struct why_thread *why_thread(struct why_threads *threads, uint32_t tid);
/* The next one of a thread. */
void why_threads_add(struct why_threads *threads, struct why_thread *thread,
		     const struct why_stretch *stretch);
/*
 * One that ended well before now, for which no operation waits: to be given back by why_thread_remove(). NULL:
 * there is none.
 */
struct why_thread *why_threads_gone(struct why_threads *threads, uint64_t now);
void why_thread_remove(struct why_threads *threads, struct why_thread *thread);
/* When it left a CPU last; 0: never that is known. */
uint64_t why_thread_end(const struct why_thread *thread);
/* Number of the first stretch that ends after a time; thread->n: none does. */
uint64_t why_thread_at(const struct why_thread *thread, uint64_t ns);

static inline const struct why_stretch *why_stretch(const struct why_thread *thread, uint64_t i)
{
	return &thread->items[i & (thread->max - 1)];
}

void why_threads_free(struct why_threads *threads);
