/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What finish.c (the thread), finish_segments.c (segments and the limit of
 * their directory) and finish_manifest.c share, and nobody else sees.
 */
#ifndef IOT_FINISH_PRIVATE_H
#define IOT_FINISH_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>

#include "write/finish.h"

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

/* ---- finish.c ---- */

/* The first error is the one that finish_close returns. Background thread only. */
void finish_remember(struct finish *finish, int err);
void finish_list_init(struct list *list);
void finish_list_push(struct list *list, struct item *item);
struct item *finish_list_pop(struct list *list);

/* Call locked: writing stopped, or goes on, and the manifest does not say so yet. */
bool finish_stop_changed(const struct finish *finish);

/* ---- finish_segments.c ---- */

/* Call locked: what the directory takes, the open segments and the reserve included. */
uint64_t finish_disk_bytes(struct finish *finish);
/*
 * Call locked. Both threads do: a sync or a compression can take so long that
 * the rows written meanwhile pass the limit many times over.
 */
void finish_evict(struct finish *finish);
/* What a waiting job takes: its file is compressed already when it is published. */
uint64_t finish_job_bytes(const struct item *job);
/* Takes the job, which is in no list any more. */
void finish_publish(struct finish *finish, struct item *job);

/* ---- finish_manifest.c; background thread only, once it runs ---- */

void finish_reserve_release(struct finish *finish);
/* Old and new manifest exist side by side for a moment. */
int finish_reserve_make(struct finish *finish);
int finish_manifest_write(struct finish *finish);
/* Nanoseconds until the manifest should be written: 0 now, -1 not at all. */
int64_t finish_manifest_due(struct finish *finish);
/* Takes over what came since, and writes when it is time. */
void finish_manifest_update(struct finish *finish);
void finish_manifest_last(struct finish *finish);

#endif
