/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The snapshots of a recording session: from their thread to its writer, its name table and its
 * manifest.
 */
#pragma once

#include "events/events.h"
#include "snapshot/snap.h"
#include "snapshot/snap_report.h"
#include "snapshot/snap_thread.h"
#include "write/write.h"

struct snaps {
	struct snap *snap; /* NULL: none are taken */
	struct snap_report report;
	struct writer *writer;
	struct events *events; /* NULL: nobody uses the names */
	bool news;             /* since the manifest was last updated */
};

/* Zeroed. write: the session's options. */
void snaps_start(struct snaps *snaps, const struct snap_options *options,
		 const struct write_options *write, struct writer *writer, struct events *events);

/* Every turn */
void snaps_take(struct snaps *snaps);

/* When nothing can be written any more; snaps_stop still follows. */
void snaps_cancel(struct snaps *snaps);

/* At the end of the trace. */
void snaps_stop(struct snaps *snaps);

/* "snapshots", when there is news of them. */
void snaps_add_news(struct snaps *snaps, json_t *members);

/* A segment and an end, for those who draw without a thread. */
void snaps_segment(struct snaps *snaps, const struct manifest_segment *segment);
void snaps_done(struct snaps *snaps, const struct snap_done *done);
