/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes from the kernel's tables what tasks left that are gone, and says which processes
 * ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* Now and then: removes from the kernel's tables what is left of tasks that are gone. */
void trace_sweep(struct trace *trace);

/*
 * Whether nothing of a process is left but what its parent asks for; false where its number may be
 * another's.
 */
bool trace_has_ended(uint32_t tgid);

/*
 * Whether any process that the filter follows is left: one of -p or the command, a child of such a
 * one.
 */
bool trace_follows_any(const struct trace *trace);
