/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording costs: the tracer's CPU, the time in programs, and how many rows come and are left
 * out. The kernel measures the time in programs, where it can, for a moment at a time, because that costs
 * something, too; elsewhere it is reckoned from the number of events.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/records.h"
#include "trace/budget.h"
#include "trace/ledger.h"

struct trace;

/* The counters as they were. */
struct trace_spent {
	uint64_t own_ns;
	uint64_t arrived[IOT_N_SEQ];
	uint64_t left_out[IOT_N_SEQ];
};

struct trace_cost {
	bool measured;    /* by the kernel */
	int stats;        /* open while it measures; -1 */
	uint64_t from_ns; /* when that began, and for how long programs had run then */
	uint64_t run_ns;
	double programs; /* CPUs, when it was measured last */
	uint64_t taken_ns;
	struct trace_spent before;
};

/* own_ns: CPU time of the tracer so far */
void trace_cost_begin(struct trace_cost *cost, const struct trace *trace,
		      const struct ledger *ledger, uint64_t own_ns, uint64_t now);
void trace_cost_end(struct trace_cost *cost);

/* Every turn: ends what the kernel measures when it has measured for a moment. */
void trace_cost_turn(struct trace_cost *cost, const struct trace *trace, uint64_t now);

/* What was spent since the last time, with so many bytes for a row on average; measures again. */
struct budget_cost trace_cost_take(struct trace_cost *cost, const struct trace *trace,
				   const struct ledger *ledger, uint64_t own_ns, double row_bytes,
				   uint64_t now);
