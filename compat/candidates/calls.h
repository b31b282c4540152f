/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls of fs_calls.def and net_calls.def as probes: a candidate names groups of calls,
 * and each call is two events, its beginning and its end. What a call's program makes of it is a
 * row of a table in the kernel (src/trace/trace_calls.c).
 */
#pragma once

#include <stdbool.h>

#include "compat/candidates/candidates.h"

/*
 * The i-th probe of a candidate: its own, then both ends of each call of its groups. Returns false
 * when there are no more.
 */
bool candidate_probe(const struct candidate *candidate, unsigned i, struct probe *probe);
