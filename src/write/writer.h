/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer: its segments, its directory, and how it stands with the disk. */
#pragma once

#include "write/finish.h"
#include "write/segment.h"
#include "write/spool.h"
#include "write/write_options.h"
#include "write/write_totals.h"

struct writer {
	struct segment segments[N_STREAMS];
	uint64_t n_opened[N_STREAMS];
	uint64_t closed_rows[N_STREAMS]; /* handed to finish */
	uint64_t closed_bytes[N_STREAMS];
	uint64_t unwritable[N_STREAMS];
	uint64_t no_room[N_STREAMS];    /* of these, while the disk was full */
	uint64_t disk_error[N_STREAMS]; /* and while it failed */
	bool on[N_STREAMS];
	uint64_t tick_ns;                /* CLOCK_MONOTONIC */
	uint64_t beside[N_WRITE_BESIDE]; /* bytes */
	struct write_options options;
	struct segment_limits limits;
	char *dir;
	bool made; /* the directory is ours */
	int dir_fd;
	int err;
	char stop_reason[256]; /* empty: WRITE_OK */
	bool paused;         /* by a full disk, or one that failed: it goes on when that is over */
	bool failed;         /* the latter */
	unsigned n_failures; /* in a row, each with a longer pause */
	uint64_t room_ns;    /* when room was last looked for */
	struct finish *finish;
	struct spool *spool;         /* NULL at the end */
	struct write_totals *totals; /* filled when asked for */
};

/* What the background thread gets. */
void writer_progress(const struct writer *writer, struct finish_progress *progress);

/* At the end: what waits for room is written when there happens to be some, or dropped. */
void writer_last_try(struct writer *writer);
