/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches events on for the chosen processes, and off again, in a set of probes that is
 * attached.
 */
#pragma once

#include <stdbool.h>

struct trace;
struct trace_options;

/*
 * Resets the count of losses and lets the events of the chosen processes
 * through; what an earlier call let through is not any more.
 */
int trace_switch_on(struct trace *trace, const struct trace_options *options);
void trace_switch_off(struct trace *trace);
/*
 * What the programs keep of names and file systems is not used any more; false: they keep nothing.
 */
bool trace_forget_names(struct trace *trace);

/* Processes that have come to a control group which the kernel cannot be asked about */
void trace_find_members(struct trace *trace);
