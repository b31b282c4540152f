/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording prints when it has ended. */
#pragma once

#include "events/events.h"
#include "plan/plan.h"
#include "session/recording_options.h"
#include "trace/trace_set.h"
#include "write/write.h"

struct summary {
	const struct recording_options *options;
	const struct plan *plan;
	const struct trace *trace;
	struct events *events;
	const struct write_totals *written;
	const uint64_t *not_kept; /* by stream: rows that were only added up (--no-rows) */
};

void summary_print(const struct summary *summary);
