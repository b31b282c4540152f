/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns when the counts were looked at last. What is counted, trace_counts.c knows. */
#include "session/session_counts.h"

#include <errno.h>

#include "base/clock.h"
#include "trace/load.h"
#include "trace/trace_set.h"

#define SLACK_NS (NS_PER_S / 2) /* turns do not come to the second */

static bool has_rows(const struct recording_options *options, enum stream_id stream)
{
	return options->streams[stream] && filter_has_stream(&options->trace.rows, stream);
}

/* What is no row leaves no record either. */
int session_counts_open(struct session_counts *c, struct recording_options *options,
			const struct plan *plan)
{
	if (!has_rows(options, STREAM_layers) || !plan_has_stream(plan, STREAM_layers))
		return 0;
	options->trace.count = IOT_COUNTS_ON;
	if (!has_rows(options, STREAM_fs))
		options->trace.count |= IOT_COUNTS_NO_FS;
	if (!has_rows(options, STREAM_ds))
		options->trace.count |= IOT_COUNTS_NO_DS;
	c->counts = trace_counts_open();
	c->read_ns = mono_ns();
	return c->counts ? 0 : -ENOMEM;
}

void session_counts_tell(const struct recording_options *options, const struct trace *trace,
			 struct resolve *resolve)
{
	if (!has_rows(options, STREAM_ds) && !has_rows(options, STREAM_layers))
		return;
	resolve_refresh_loops(resolve, SLACK_NS);
	loops_fill(&resolve->loops, load_map(&trace->loaded, "iot_loops"));
	disks_fill_places(&resolve->disks, load_map(&trace->loaded, "iot_partitions"));
}

static void look(struct session_counts *c, const struct trace *trace, struct events *events,
		 uint64_t now, bool last)
{
	trace_counts_read(c->counts, trace, now, last, events_counted, events);
	events_counts_end(events);
	c->read_ns = now;
}

void session_counts_look(struct session_counts *c, const struct recording_options *options,
			 const struct trace *trace, struct events *events, uint64_t now)
{
	if (!options->layers_interval_s ||
	    now - c->read_ns < options->layers_interval_s * NS_PER_S - SLACK_NS)
		return;
	look(c, trace, events, now, false);
}

void session_counts_unseen(struct session_counts *c, const struct trace *trace, struct iot_rq *rq)
{
	trace_counts_unseen(c->counts, trace, rq);
}

void session_counts_end(struct session_counts *c, const struct trace *trace, struct events *events,
			uint64_t now)
{
	look(c, trace, events, now, true);
}

void session_counts_close(struct session_counts *c)
{
	trace_counts_close(c->counts);
	c->counts = NULL;
}
