/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows to the session directory: open .part segments, rotation, compression in
 * its own thread, checksums, disk limits, manifest.json and datapackage.json.
 * Knows nothing of events: a row is bytes ending in LF that belong to a stream.
 */
#ifndef IOT_WRITE_H
#define IOT_WRITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "row/schema.h"
#include "write/write_options.h"

/* But for WRITE_OK rows are counted as unwritable. */
enum write_state {
	WRITE_OK,
	WRITE_PAUSED, /* no space, or the disk failed: goes on by itself when it takes rows again */
	WRITE_STOPPED, /* directory gone or taken over: for good */
};

struct write_totals {
	uint64_t rows[N_STREAMS];         /* written (in closed or open segments) */
	uint64_t bytes[N_STREAMS];        /* before compression, header rows included */
	uint64_t unwritable[N_STREAMS];   /* rows that could not be written */
	uint64_t no_room[N_STREAMS];      /* of these, because the disk was full */
	uint64_t disk_error[N_STREAMS];   /* and because it failed (EIO) */
	uint64_t evicted_rows[N_STREAMS]; /* rows in segments removed by max_disk */
	uint64_t evicted_segments;
	uint64_t segments;   /* closed under their final name */
	uint64_t disk_bytes; /* what the directory holds now */
};

struct writer;
struct manifest_segment;

/*
 * Creates the directory (parents not) and writes a first manifest (state
 * "recording"). Refuses, with a message, a directory that already holds a
 * session or other files, a read-only or missing place. NULL on failure, *err
 * is -errno.
 */
struct writer *write_open(const struct write_options *options, int *err);

/* Declares that the stream is on: it gets a manifest entry even without rows. */
void write_stream(struct writer *writer, enum stream_id stream);

/*
 * One row with its LF, and its time (CLOCK_REALTIME, ns) for the segment's
 * range. Buffered: no system call per row. Never blocks on compression.
 */
void write_row(struct writer *writer, enum stream_id stream, const char *row, size_t len,
	       uint64_t real_ns);

/*
 * Rows that are not to be written yet, kept for verify --repair: a few times a second, where that is
 * due, those of each stream that are new, and the key of its first that waits (UINT64_MAX: none).
 */
bool write_waiting_is_due(struct writer *writer);
void write_waiting(struct writer *writer, enum stream_id stream, const char *row, size_t len,
		   uint64_t key);
void write_waiting_end(struct writer *writer, enum stream_id stream, uint64_t first);

/* A segment that was written and published by others, below write_dir_fd: it is counted and listed. */
void write_published(struct writer *writer, const struct manifest_segment *segment);
int write_dir_fd(const struct writer *writer);

/* What is in the directory besides segments and manifest. */
enum write_beside { WRITE_SNAPSHOTS, WRITE_SUMMARIES, N_WRITE_BESIDE };

/* Its bytes by now, for max_disk. */
void write_beside(struct writer *writer, enum write_beside what, uint64_t bytes);

/* Call a few times a second: time rotation, disk limits, flush of buffers, so that rows wait less than 200 ms. */
enum write_state write_tick(struct writer *writer);

/* SIGHUP: close every open segment that has rows. */
void write_rotate(struct writer *writer);

/*
 * Members that the rest of the program adds to the manifest (plan, clocks, lost
 * …): merged over the top level; takes its own reference.
 */
void write_manifest_members(struct writer *writer, json_t *members);

const struct write_totals *write_totals(const struct writer *writer);

/*
 * Closes all segments, waits for compression, writes the final manifest (state
 * "complete") and frees. Returns 0 or -errno of the first thing that failed.
 */
int write_finish(struct writer *writer);

/* The same, and the totals as they are then (NULL: not wanted), for the closing summary. */
int write_end(struct writer *writer, struct write_totals *totals);

/* For a session that never began: leaves the place as write_open found it. */
void write_abandon(struct writer *writer);

#endif
