/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest complete snapshot as one file: process_snap.csv, filesystem_snap.csv.gz. */
#pragma once

#include "snapshot/snap.h"
#include "write/manifest.h"

/*
 * Each makes a hidden file; 0 or -errno with the reason in the job. copy: of the one segment
 * of processes, from its start; join: of all parts of a snapshot of files.
 */
int snap_newest_copy(struct snap_job *job, int fd);
int snap_newest_join(struct snap_job *job, const struct manifest_segment *parts, unsigned n);

/* The hidden file replaces the one before; job->done gets its size. */
int snap_newest_publish(struct snap_job *job, enum stream_id stream);
/* Removes a hidden one, if any. */
void snap_newest_forget(struct snap_job *job, enum stream_id stream);
