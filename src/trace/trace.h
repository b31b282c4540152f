/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One live set of probes: compile, load, rings, filters, attach, switch on and
 * off. Owns every kernel object of a run and closes them in reverse order.
 * What the records mean is events.c's business.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "trace/trace_set.h"

/*
 * Reads options->image, if any, before there is a plan, which it carries. Returns 0 or -errno,
 * reported.
 */
int trace_read_image(struct trace *trace, const struct trace_options *options);

/* A trace that is zero-filled or holds a read image. Returns 0 or -errno, reported. */
int trace_open(struct trace *trace, const struct plan *plan, const struct trace_options *options);

/* Attaches; nothing is let through yet. Returns 0 or -errno, reported. */
int trace_attach(struct trace *trace);

/*
 * Adds what did not attach, and could give way to another candidate, to a
 * request for the next plan. Returns how many.
 */
unsigned trace_pass_over(const struct trace *trace, struct plan_request *request);

/* Reports what is missing for want of a probe. Returns -ENOENT when no requested probe attached. */
int trace_report_attached(const struct trace *trace);

/* NULL, or why this probe of the plan is not attached. */
const char *trace_not_attached(const struct trace *trace, unsigned probe);

/* No event after this returns; probes are gone. What is in the rings can still be read. */
void trace_stop(struct trace *trace);
void trace_close(struct trace *trace);

/* Has the kernel send every name again. */
void trace_resend_names(struct trace *trace);
