/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a plan to probes that fire: what does not attach, and what attaches and
 * stays silent in the self-test, gives way to the next candidate, with a new plan.
 */
#pragma once

#include "plan/plan.h"
#include "session/recording_options.h"
#include "trace/trace_set.h"

/* What a plan is made for and becomes; all of it borrowed. */
struct live {
	const struct recording_options *options;
	struct host **host; /* closed and opened again where an image brings its own */
	struct plan *plan;
	struct trace *trace; /* with the image that it has read, if any */
};

/* The first plan. Returns 0 or -errno (reported). */
int live_plan(const struct live *live);

/*
 * Compiles, loads, attaches and tests; nothing is let through yet. Returns 0 or -errno (reported).
 */
int live_attach(const struct live *live);
