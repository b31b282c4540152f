/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks in the kernel's tables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* Its frames, the innermost first: how many there are of at most IOT_STACK_FRAMES; 0: it is not there. */
unsigned trace_stack_read(const struct trace *trace, bool kernel, int32_t id, uint64_t *frames);

/* Makes room for others. */
void trace_stack_remove(const struct trace *trace, bool kernel, int32_t id);
