/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of a timeline: an encoder that is given all of it, and hands on to another one what lies
 * in the part, and what is in progress at its edges, cut there and marked.
 */
#pragma once

#include "analysis/timeline/timeline_encoder.h"

/* encoder stays the caller's. to_ns: exclusive. NULL without memory. */
struct timeline_encoder *timeline_window(struct timeline_encoder *encoder, uint64_t from_ns,
					 uint64_t to_ns);
/* How many events and runs it has handed on, and slices among them. */
uint64_t timeline_window_events(const struct timeline_encoder *window);
uint64_t timeline_window_slices(const struct timeline_encoder *window);
/* It ran out of memory: what it handed on is not all. */
bool timeline_window_failed(const struct timeline_encoder *window);
