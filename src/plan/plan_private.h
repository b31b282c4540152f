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

/* The probes of the choice at index, each made when the plan has none of its target. */
void plan_place_probes(struct plan *plan, unsigned index, const struct verdict *v);

/* ---- numbers.c ---- */

/* Whether this is the choice of what calls programs by number, whom nobody asks for. */
bool numbers_are_for(const struct plan_choice *choice);

/* When all others are placed: whether there are enough system calls for it, and if so it is done. */
void numbers_decide(struct plan *plan, const struct plan_request *request);

/* In a plan that is narrowed, when all others are decided: what was made so stays so. had: what was wanted. */
void numbers_keep(struct plan *plan, const bool *had);

/* NULL, or that the kernel does not have the feature (none: it has). */
const char *plan_absent(const struct host *host, const struct feature *feature);

#endif
