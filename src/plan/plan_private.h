/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What plan.c (the choice) and plan_judge.c (one candidate on one host) share, and nobody else sees. */
#ifndef IOT_PLAN_PRIVATE_H
#define IOT_PLAN_PRIVATE_H

#include "plan/plan.h"

/* What would help a candidate that lost, easiest first. */
enum cause { CAUSE_OTHER, CAUSE_TRACEFS, CAUSE_HEADERS, CAUSE_SYSCALLS, CAUSE_KPROBES, N_CAUSES };

struct verdict {
	bool usable;
	enum tier tier;
	enum cause cause;
	char why[sizeof(((struct plan_passed *)NULL)->why)];
	struct plan_probe probes[PLAN_MAX_CHOICE_PROBES];
	unsigned n_probes;
};

/* Can the candidate be used on the plan's host, in which tier, with which probes; or why not. */
void plan_judge(struct verdict *v, const struct plan *plan, const struct plan_request *request,
		const struct candidate *candidate);

/* NULL, or that the kernel does not have the feature (none: it has). */
const char *plan_absent(const struct host *host, const struct feature *feature);

#endif
