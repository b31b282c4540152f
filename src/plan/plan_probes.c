/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of probes of a plan: each target once, with one program. */
#include "plan/plan_probes.h"

#include <string.h>

#include "base/log.h"

/* The plan's probe for this target, made when it is new. -1: no more room. */
static int place_probe(struct plan *plan, const struct plan_probe *probe, unsigned choice)
{
	struct plan_probe *p;

	for (unsigned i = 0; i < plan->n_probes; i++) {
		p = &plan->probes[i];
		if (p->kind != probe->kind || strcmp(p->target, probe->target))
			continue;
		if (strcmp(p->program, probe->program)) {
			log_error("%s has two programs: %s and %s", p->target, p->program,
				  probe->program);
			plan->n_conflicts++;
		}
		/* optional for all, or needed */
		p->optional = p->optional && probe->optional;
		return (int)i;
	}
	if (plan->n_probes == PLAN_MAX_PROBES)
		return -1;
	p = &plan->probes[plan->n_probes];
	*p = *probe;
	p->choice = choice;
	return (int)plan->n_probes++;
}

void plan_place_probes(struct plan *plan, unsigned index, const struct verdict *v)
{
	struct plan_choice *choice = &plan->choices[index];

	for (unsigned i = 0; i < v->n_probes; i++) {
		int at = place_probe(plan, &v->probes[i], index);

		if (at < 0) {
			log_error("no room for probe %s", v->probes[i].target);
			plan->n_conflicts++;
			return;
		}
		choice->probes[choice->n_probes++] = (uint16_t)at;
	}
}

bool plan_has_kind(const struct plan *plan, enum probe_kind a, enum probe_kind b)
{
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (plan->probes[i].kind == a || plan->probes[i].kind == b)
			return true;
	return false;
}
