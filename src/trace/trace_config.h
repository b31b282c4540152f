/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches events on for the chosen processes, and off again, in a set of probes that is
 * attached.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "probes/schema/stream_id.h"

struct trace;
struct trace_options;

/*
 * Resets the count of losses and lets the events of the chosen processes
 * through; what an earlier call let through is not any more.
 */
int trace_switch_on(struct trace *trace, const struct trace_options *options);
void trace_switch_off(struct trace *trace);
/*
 * From now on rows are left out: of each stream, one of so many files, requests or threads keeps them (a power
 * of two); 0: none. Where layers is not recorded, nothing is left out.
 */
void trace_thin(struct trace *trace, const uint32_t factors[N_EVENT_STREAMS]);
/*
 * What the programs keep of names and file systems is not used any more; false: they keep nothing.
 */
bool trace_forget_names(struct trace *trace);

/* Processes that have come to a control group which the kernel cannot be asked about */
void trace_find_members(struct trace *trace);

struct iot_config;
/* Which operations have stacks: those of -e +stacks alone are the slow ones. */
void trace_config_stacks(const struct trace_options *options, struct iot_config *cfg);
