/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way of what a snapshot found. When one is taken, snap.c decides. */
#include "session/session_snapshots.h"
#include "snapshot/snap_report.h"
#include "snapshot/snap_thread.h"

/* A walk of many files leaves this to the trace, besides --min-free. */
#define SPARE_BYTES (16ULL << 20)

void snaps_segment(struct snaps *snaps, const struct manifest_segment *segment)
{
	write_published(snaps->writer, segment);
}

void snaps_done(struct snaps *snaps, const struct snap_done *done)
{
	snap_report_add(&snaps->report, done);
	write_beside(snaps->writer, WRITE_SNAPSHOTS, snap_report_bytes(&snaps->report));
	snaps->news = true;
}

static void on_name(void *arg, uint64_t ino, uint32_t dev, const char *path, size_t len)
{
	struct snaps *snaps = arg;

	events_offer_name(snaps->events, ino, dev, path, len);
}

static void on_segment(void *arg, const struct manifest_segment *segment)
{
	snaps_segment(arg, segment);
}

static void on_done(void *arg, const struct snap_done *done)
{
	snaps_done(arg, done);
}

void snaps_start(struct snaps *snaps, const struct snap_options *options,
		 const struct write_options *write, struct writer *writer, struct events *events)
{
	struct snap_sink sink = {
		.name = on_name, .segment = on_segment, .done = on_done, .arg = snaps
	};
	struct snap_job job = {
		.options = *options,
		.host_root = "",
		.proc = "/proc",
		.dir_fd = write_dir_fd(writer),
		.dir = write->dir,
		.packing = write->packing,
		.min_free = write->min_free,
		.max_disk = write->max_disk,
		.spare = SPARE_BYTES,
		.names = events && events_wants_names(events),
	};

	if (options->off)
		return;
	snaps->report.options = *options;
	snaps->writer = writer;
	snaps->events = events;
	write_stream(writer, STREAM_process);
	write_stream(writer, STREAM_filesystem_snapshot);
	snaps->snap = snap_start(&job, &sink);
}

void snaps_take(struct snaps *snaps)
{
	snap_take(snaps->snap);
}

void snaps_cancel(struct snaps *snaps)
{
	snap_cancel(snaps->snap);
}

void snaps_stop(struct snaps *snaps)
{
	snap_stop(snaps->snap);
	snaps->snap = NULL;
	snap_report_absent(&snaps->report);
}

void snaps_add_news(struct snaps *snaps, json_t *members)
{
	if (snaps->news)
		json_object_set_new(members, "snapshots", snap_report_json(&snaps->report));
	snaps->news = false;
}
