/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the programs of system calls are attached each to its events, or called by the number of the
 * call from the one pair of programs that all calls run.
 */
#include "plan/numbers.h"

#include <stdio.h>
#include <string.h>

#include "plan/plan_judge.h"
#include "plan/plan_probes.h"

/*
 * From so many ends of system calls on, both of each: those that are traced are then most of what a
 * program calls, and closing their events one by one would take longer than anybody waits.
 */
enum { BY_NUMBER_FROM = 12 };

bool numbers_are_for(const struct plan_choice *choice)
{
	return choice->capability->provides == USES_NUMBERS;
}

/*
 * Probes that calls could have by number. 0: what counts calls has programs on all of them already, or
 * functions of the kernel tell of reads and writes, which then would pay for the others.
 */
static unsigned n_call_probes(const struct plan *plan)
{
	unsigned n = 0;

	if (plan_has_kind(plan, PROBE_KPROBE, PROBE_KRETPROBE))
		return 0;
	for (unsigned i = 0; i < plan->n_probes; i++) {
		const struct plan_probe *probe = &plan->probes[i];

		if (probe_is_of_all_calls(probe->kind, probe->target))
			return 0;
		n += probe_is_syscall(probe->kind, probe->target);
	}
	return n;
}

/* A choice is complete when what calls its programs is attached, too. */
static void add_callers(struct plan_choice *choice, const struct plan_choice *callers)
{
	for (unsigned i = 0; i < callers->n_probes; i++)
		if (choice->n_probes < PLAN_MAX_CHOICE_PROBES)
			choice->probes[choice->n_probes++] = callers->probes[i];
}

static bool has_kind(const struct plan *plan, const struct plan_choice *choice,
		     enum probe_kind kind)
{
	for (unsigned i = 0; i < choice->n_probes; i++)
		if (plan->probes[choice->probes[i]].kind == kind)
			return true;
	return false;
}

static void take_numbers(struct plan *plan, const struct plan_choice *callers)
{
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (probe_is_syscall(plan->probes[i].kind, plan->probes[i].target))
			plan->probes[i].kind = PROBE_NUMBER;
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (has_kind(plan, &plan->choices[i], PROBE_NUMBER))
			add_callers(&plan->choices[i], callers);
}

void numbers_decide(struct plan *plan, const struct plan_request *request)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		struct plan_choice *choice = &plan->choices[i];
		struct verdict v;

		if (!numbers_are_for(choice))
			continue;
		if (!choice->chosen || n_call_probes(plan) < BY_NUMBER_FROM) {
			choice->chosen = NULL;
			choice->tier = TIER_NONE;
			choice->n_passed = 0;
			snprintf(
				choice->why, sizeof(choice->why),
				"only where many system calls are traced, reads and writes among them");
			continue;
		}
		choice->wanted = true;
		plan_judge(&v, plan, request, choice->chosen);
		plan_place_probes(plan, i, &v);
		take_numbers(plan, choice);
	}
}

void numbers_keep(struct plan *plan, const bool *had)
{
	bool any = false;

	for (unsigned i = 0; i < plan->n_choices; i++)
		any = any ||
		      (plan->choices[i].wanted && has_kind(plan, &plan->choices[i], PROBE_NUMBER));
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (numbers_are_for(&plan->choices[i]))
			plan->choices[i].wanted = any && had[i];
}
