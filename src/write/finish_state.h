/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of finishing segments, and which thread has which part of it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "write/finish_counts.h"
#include "write/write_options.h"

#define BACKLOG_JOBS 64 /* waiting: no descriptors kept, no sync per segment */

/* A segment on its way: waiting, closed under its final name, or gone again. */
struct item {
	struct item *next;
	struct manifest_segment segment;
	uint64_t order; /* of closing */
	int fd;         /* while waiting; -1: open it by name */
	bool published;
	bool listed; /* in the manifest */
};

struct list {
	struct item *first;
	struct item **end;
};

/* Made by finish_open and freed by finish_close, both in the thread that writes rows. */
struct finish {
	struct write_options options;
	char dir[128]; /* for messages */
	int dir_fd;
	pthread_t thread;

	pthread_mutex_t lock; /* the part below, down to the next blank line */
	pthread_cond_t wake;
	uint64_t n_closed;     /* segments received so far */
	uint64_t evicted_upto; /* order of the youngest that went */
	struct list jobs;
	struct list closed; /* oldest first, and all older than the jobs */
	struct list gone;   /* evicted, not yet in the manifest */
	unsigned n_jobs;
	uint64_t waiting_bytes; /* of jobs, the one in work included */
	uint64_t beside_bytes;  /* of files that are no segments */
	uint64_t json_bytes;
	uint64_t reserve_bytes;
	struct finish_progress progress;
	struct finish_totals totals;
	json_t *members; /* new ones, not yet taken over */
	bool stop_seen;
	bool closing;

	/* the background thread's own */
	struct manifest *manifest;
	uint64_t written_ns; /* CLOCK_MONOTONIC, of the manifest; 0: at start */
	uint64_t every_ns;
	bool dirty;
	bool dirty_members;
	bool had_members;
	bool told_plain;
	int err;
};
