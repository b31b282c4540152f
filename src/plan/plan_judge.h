/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether one candidate can serve on a host. */
#pragma once

#include "plan/plan_verdict.h"

/*
 * Can the candidate be used on the plan's host, in which tier, with which probes; or why not.
 * Of the plan, its host and its headers are looked at, not what was chosen so far.
 */
void plan_judge(struct verdict *v, const struct plan *plan, const struct plan_request *request,
		const struct candidate *candidate);

/* NULL, or that the kernel does not have the feature (none: it has). */
const char *plan_absent(const struct host *host, const struct feature *feature);
