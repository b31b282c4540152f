/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record --budget: twice a second what the recording costs is compared with what it may cost, the programs
 * leave out less or more, and stream lost has a row of it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "events/events.h"
#include "session/recording_options.h"
#include "snapshot/snap_thread.h"
#include "trace/trace_cost.h"
#include "write/write_session.h"

struct session_budget {
	bool on;
	struct budget budget;
	struct trace_cost cost;
	struct budget_options options;
	bool streams[N_EVENT_STREAMS];                               /* that have rows */
	uint32_t factors[N_EVENT_STREAMS], largest[N_EVENT_STREAMS]; /* now; until now */
	uint64_t told_ns; /* of the last rows of stream lost, and what there was until then: */
	uint64_t left_out[N_EVENT_STREAMS], kept[N_EVENT_STREAMS];
	uint64_t unlike
		[N_EVENT_STREAMS]; /* left out, and nothing that was kept stands for them (thinning_weight()) */
	unsigned n_changes, highest; /* changes of the level, the highest one */
	double most;                 /* CPUs: of a second */
	bool warned;                 /* that it is too small */
};

/* What is measured, and who reports it. */
struct budgeted {
	struct trace *trace;
	struct events *events;
	struct snap *snap;           /* whose CPU time is not of the budget; NULL */
	const struct writer *writer; /* NULL: nothing is written */
};

/* -ENOTSUP, reported: a budget is requested and the programs cannot count. */
int session_budget_check(const struct recording_options *options, const struct plan *plan);

/* Tracing is on. Does nothing without a budget, like the others. */
void session_budget_begin(struct session_budget *b, const struct recording_options *options,
			  const struct budgeted *of);
/* Every turn */
void session_budget_turn(struct session_budget *b, const struct budgeted *of, uint64_t now);
/* Tracing has stopped. */
void session_budget_end(struct session_budget *b, const struct budgeted *of);

/* "budget", of the manifest */
json_t *session_budget_json(const struct session_budget *b);
/* A line at the end */
void session_budget_print(const struct session_budget *b);
