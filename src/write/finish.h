/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The background thread of the writer: takes closed segments, makes them
 * durable, compresses, checksums and renames them, removes the oldest when the
 * directory grows too large, and keeps the manifest. Nothing here is waited for
 * by the thread that writes rows.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "write/finish_counts.h"
#include "write/manifest.h"
#include "write/segment.h"
#include "write/write_options.h"

struct finish;

/*
 * Writes the first manifest and the reserve that lets the last one be written
 * on a full disk; borrows dir_fd. Reports; NULL with *err on failure.
 */
struct finish *finish_open(const struct write_options *options, int dir_fd, int *err);

/*
 * A closed segment, which file (final name), rows, csv_bytes and times describe; owns fd.
 * Without memory for the job its rows count as lost, and its file stays under its .part name.
 */
void finish_segment(struct finish *finish, const struct manifest_segment *segment, int fd);

/* One that was published already, by whoever drew it. */
void finish_published(struct finish *finish, const struct manifest_segment *segment);

/*
 * What lies in the directory besides segments and manifest. All of it, not what was added: it
 * counts for max_disk, but is never removed.
 */
void finish_beside(struct finish *finish, uint64_t bytes);

/*
 * The writing thread's numbers as they are now. Removes segments here where max_disk asks for
 * it.
 */
void finish_progress(struct finish *finish, const struct finish_progress *progress);
/* Copied. What came after the first ones may wait half a minute for a manifest to be written. */
void finish_members(struct finish *finish, json_t *members);
/* As they are at this moment; more may follow until finish_close(). */
void finish_totals(struct finish *finish, struct finish_totals *totals);

/*
 * Waits for all segments, writes the last manifest and frees. *totals is final.
 * Returns 0 or -errno of the first thing that failed (reported then).
 */
int finish_close(struct finish *finish, const struct finish_progress *progress,
		 struct finish_totals *totals);
