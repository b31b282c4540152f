/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows to the session directory: open .part segments, rotation, compression in
 * its own thread, checksums, disk limits, manifest.json and datapackage.json.
 * Knows nothing of events: a row is bytes ending in LF that belong to a stream.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "row/schema.h"
#include "write/write_options.h"
#include "write/write_totals.h"

/* But for WRITE_OK rows are counted as unwritable. */
enum write_state {
	WRITE_OK,
	WRITE_PAUSED, /* no space, or the disk failed: goes on by itself when it takes rows again */
	WRITE_STOPPED, /* directory gone or taken over: for good */
};

struct writer;
struct manifest_segment;

/* Declares that the stream is on: it gets a manifest entry even without rows. */
void write_stream(struct writer *writer, enum stream_id stream);

/*
 * One row with its LF, and its time (CLOCK_REALTIME, ns) for the segment's range. Buffered:
 * no system call per row. Never blocks on compression. What cannot be written is counted, so
 * there is nothing to return.
 */
void write_row(struct writer *writer, enum stream_id stream, const char *row, size_t len,
	       uint64_t real_ns);

/*
 * Rows that are not to be written yet, kept for verify --repair: a few times a second, where that
 * is due, those of each stream that are new, and the key of its first that waits (UINT64_MAX:
 * none).
 */
bool write_waiting_is_due(struct writer *writer);
void write_waiting(struct writer *writer, enum stream_id stream, const char *row, size_t len,
		   uint64_t key);
void write_waiting_end(struct writer *writer, enum stream_id stream, uint64_t first);

/*
 * A segment that was written and published by others, below write_dir_fd: it is counted and listed.
 */
void write_published(struct writer *writer, const struct manifest_segment *segment);
/* Stays the writer's. */
int write_dir_fd(const struct writer *writer);

/* Its bytes by now, for max_disk. */
void write_beside(struct writer *writer, enum write_beside what, uint64_t bytes);

/*
 * Call a few times a second: time rotation, disk limits, flush of buffers, so that rows wait less
 * than 200 ms.
 */
enum write_state write_tick(struct writer *writer);

/* SIGHUP: close every open segment that has rows. */
void write_rotate(struct writer *writer);
