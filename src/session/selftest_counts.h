/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The self-test of stream layers: what is counted has no records, so the counts themselves are
 * looked at.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "plan/plan.h"
#include "session/selftest_work.h"
#include "trace/trace_set.h"

enum { SELFTEST_MAX_COUNTED = 16 };

/* Anything is to be counted. */
bool selftest_counts(const struct plan *plan);
/*
 * In a child, while only that is traced; done: SELFTEST_MAX_COUNTED entries, shared with its
 * parent.
 */
void selftest_counts_perform(struct scratch *s, const struct plan *plan, volatile bool *done);
typedef void selftest_counted_fn(void *arg, const struct plan_choice *choice, bool fires);
/*
 * Afterwards: each gets what was done, and whether it was counted for the child. The kernel's
 * counts are reset. Returns 0 or -ENOMEM.
 */
int selftest_counts_judge(struct trace *trace, pid_t child, const volatile bool *done,
			  selftest_counted_fn *each, void *arg);
