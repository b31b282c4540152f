/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stream layers has a recording count, and when the counts are looked at. */
#pragma once

#include <stdint.h>

#include "events/events.h"
#include "resolve/resolve.h"
#include "session/recording_options.h"
#include "trace/trace_counts.h"
#include "trace/trace_set.h"

/* The zeroed one counts nothing. */
struct session_counts {
	struct trace_counts *counts;
	uint64_t read_ns; /* when they were read */
};

/* Before tracing is switched on: says in the options what is counted. Returns 0 or -ENOMEM. */
int session_counts_open(struct session_counts *counts, struct recording_options *options,
			const struct plan *plan);
/*
 * What of disks decides the class of a request, where requests are recorded; it may change from
 * second to second.
 */
void session_counts_tell(const struct recording_options *options, const struct trace *trace,
			 struct resolve *resolve);
/* Makes rows of what was added, if the interval is over. */
void session_counts_look(struct session_counts *counts, const struct recording_options *options,
			 const struct trace *trace, struct events *events, uint64_t now);
/* A request that no program saw complete; before session_counts_end. */
void session_counts_unseen(struct session_counts *counts, const struct trace *trace,
			   struct iot_rq *rq);
/* The rest of it, when tracing is off. */
void session_counts_end(struct session_counts *counts, const struct trace *trace,
			struct events *events, uint64_t now);
void session_counts_close(struct session_counts *counts);
