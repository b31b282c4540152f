/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of one snapshot on their way to disk: in hidden files first, then
 * published as segments, and once more as the newest one under a fixed name.
 * Gives up without a trace.
 */
#pragma once

#include "snapshot/snap.h"
#include "write/segment.h"

struct snap_out {
	struct snap_job *job;
	enum stream_id stream;
	struct segment segment;
	struct manifest_segment *parts; /* published */
	unsigned n_parts;
	uint64_t bytes;   /* of these */
	uint64_t real_ns; /* start of the snapshot */
	char when[32];    /* the same in names of files */
};

/*
 * Zeroed or closed. Each returns 0 or -errno with the reason in the job. A file is made with
 * the first rows that are flushed.
 */
int snap_out_open(struct snap_out *out, struct snap_job *job, enum stream_id stream,
		  uint64_t real_ns);
int snap_out_row(struct snap_out *out, const char *row, size_t len);

/* Publishes all of it, reports its segments, renews the newest. */
int snap_out_finish(struct snap_out *out);

/* After finish nothing is removed. */
void snap_out_close(struct snap_out *out);
