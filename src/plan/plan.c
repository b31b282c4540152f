/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the choice: the first usable candidate of every capability, why the ones
 * before it lost, and which probes all of them make together.
 */
#include "plan/plan.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/numbers.h"
#include "plan/plan_judge.h"
#include "plan/plan_probes.h"
#include "plan/plan_verdict.h"
#include "row/schema.h"

static void pass_over(struct plan_choice *choice, const struct candidate *candidate,
		      const struct verdict *v)
{
	struct plan_passed *passed = &choice->passed[choice->n_passed];

	if (choice->n_passed == PLAN_MAX_PASSED)
		return;
	/* two of one name differ in what they need; once is enough for the same reason */
	if (choice->n_passed && !strcmp(passed[-1].candidate->name, candidate->name) &&
	    !strcmp(passed[-1].why, v->why))
		return;
	passed->candidate = candidate;
	strcpy(passed->why, v->why);
	choice->n_passed++;
}

/* "A: why; B: why", and behind it what to install or to switch on. */
static void explain(struct plan_choice *choice, const struct host *host, const bool *causes)
{
	static_assert(sizeof(choice->why) > 2 * sizeof(host->headers_why) - 2, "remedies fit");
	const char *const remedies[N_CAUSES] = {
		[CAUSE_HEADERS] = host->layout_why,
		[CAUSE_KPROBES] = host->kprobes_why,
		[CAUSE_TRACEFS] = host->tracefs_why,
		[CAUSE_SYSCALLS] = host->syscalls_why,
	};
	const size_t room = sizeof(choice->why) - 1;
	const char *remedy = NULL;
	size_t len = 0, keep;

	for (unsigned i = 0; i < choice->n_passed && len < room; i++)
		len += (size_t)snprintf(choice->why + len, room - len, "%s%s: %s", i ? "; " : "",
					choice->passed[i].candidate->name, choice->passed[i].why);
	for (unsigned i = 0; i < N_CAUSES && !remedy; i++)
		if (causes[i] && remedies[i] && remedies[i][0])
			remedy = remedies[i];
	if (!remedy)
		return;
	/* the remedy is what the reader came for: the reasons make room for it */
	keep = room - 2 - strlen(remedy);
	if (len > keep)
		len = keep;
	memcpy(choice->why + len, "; ", 2);
	memcpy(choice->why + len + 2, remedy, strlen(remedy) + 1);
}

static void choose(struct plan *plan, struct plan_choice *choice,
		   const struct plan_request *request, struct verdict *v)
{
	bool causes[N_CAUSES] = { false };
	const char *absent = plan->host->bpf_why;

	if (!absent[0])
		absent = plan_absent(plan->host, plan_feature(choice));
	if (absent) {
		choice->absent = absent != plan->host->bpf_why;
		snprintf(choice->why, sizeof(choice->why), "%s", absent);
		return;
	}
	if (!plan->headers && !capability_is_internal(choice->capability) &&
	    schema_has(choice->capability->stream, NEEDS_LAYOUTS)) {
		snprintf(choice->why, sizeof(choice->why),
			 "needs kernel headers or BTF, to tell files from sockets; %s",
			 plan->host->layout_why);
		return;
	}
	for (const struct candidate *c = choice->capability->candidates; c; c = candidate_next(c)) {
		plan_judge(v, plan, request, c);
		if (v->usable) {
			choice->chosen = c;
			choice->tier = v->tier;
			return;
		}
		causes[v->cause] = true;
		pass_over(choice, c, v);
	}
	explain(choice, plan->host, causes);
}

static bool stream_wanted(const struct plan_request *request, const struct capability *capability)
{
	return !request->streams || capability_is_internal(capability) ||
	       request->streams & STREAM_BIT(capability->stream);
}

static bool counts_alone(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].chosen && plan->choices[i].chosen->only_counts)
			return true;
	return false;
}

/* Where programs count alone, no more is needed than what a call returns, and nothing has a name. */
static unsigned used_by(const struct plan *plan, const struct plan_choice *choice)
{
	const unsigned of_rows = USES_SIZES | USES_FILE_NAMES | USES_PATHS;
	unsigned uses = choice->chosen->uses;

	return schema_has(choice->capability->stream, ONLY_COUNTED) && counts_alone(plan) ?
		       uses & ~of_rows :
		       uses;
}

bool plan_needs(const struct plan *plan, unsigned uses)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *choice = &plan->choices[i];

		if (choice->wanted && choice->chosen && (used_by(plan, choice) & uses))
			return true;
	}
	return false;
}

static bool condition_met(const struct plan *plan, const struct plan_request *request,
			  const struct capability *capability)
{
	if (capability->option && !(request->options & capability->option))
		return false;
	return !capability->provides || plan_needs(plan, capability->provides);
}

/*
 * A capability may serve one that serves another: until nothing changes. It ends, because
 * what is wanted stays so.
 */
static void decide_wanted(struct plan *plan, const struct plan_request *request)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (unsigned i = 0; i < plan->n_choices; i++) {
			struct plan_choice *choice = &plan->choices[i];
			const struct capability *capability = choice->capability;

			if (choice->wanted || !stream_wanted(request, capability) ||
			    !condition_met(plan, request, capability))
				continue;
			choice->wanted = changed = true;
		}
	}
}

static bool is_listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* The candidates of a way into the kernel that use any of this: their names, each once. */
static void list_users(char *list, size_t size, const struct plan *plan, const char *path,
		       unsigned uses)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct capability *capability = plan->choices[i].capability;
		const struct candidate *c = capability->candidates;

		if (strcmp(capability->path, path))
			continue;
		for (; c; c = candidate_next(c)) {
			size_t len = strlen(list);

			if ((c->uses & uses) && !is_listed(list, c->name))
				snprintf(list + len, size - len, "%s%s", len ? " " : "", c->name);
		}
	}
}

static void name_users(char *list, size_t size, const struct plan *plan, unsigned uses)
{
	list[0] = '\0';
	for (unsigned i = 0; i < plan->n_choices; i++)
		list_users(list, size, plan, plan->choices[i].capability->path, uses);
}

static void drop_unwanted(struct plan *plan, struct plan_choice *choice,
			  const struct plan_request *request)
{
	const struct capability *capability = choice->capability;
	const char *option = capability_option(capability);
	char users[256];

	choice->chosen = NULL;
	choice->tier = TIER_NONE;
	choice->n_passed = 0;
	if (!stream_wanted(request, capability)) {
		snprintf(choice->why, sizeof(choice->why), "stream not requested");
		return;
	}
	name_users(users, sizeof(users), plan, capability->provides);
	snprintf(choice->why, sizeof(choice->why), "only needed with %s", option ? option : users);
}

/*
 * One tracepoint of a system call sends every call of the machine the kernel's slow way (136
 * instructions on 5.10, 163 on 6.12). Where functions call the programs that count, and nothing is
 * recorded that comes by calls, the few other calls that are counted are taken at their functions, too.
 */
static bool spares_calls(const struct host *host, const struct plan_request *request)
{
	bool counts = false;

	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		if (!(request->streams & STREAM_BIT(i)))
			continue;
		if (!schema_has(i, ONLY_COUNTED | WITHOUT_CALLS))
			return false;
		counts = counts || schema_has(i, ONLY_COUNTED);
	}
	return counts && host->fact[FACT_TRAMPOLINE];
}

int plan_make_from(struct plan *plan, const struct host *host, const struct plan_request *request,
		   const struct capability *table, size_t n)
{
	static const struct plan_request everything;
	struct verdict v;
	int err = -ENOENT;

	if (!request)
		request = &everything;
	memset(plan, 0, sizeof(*plan));
	plan->host = host;
	plan->headers = host_has_layout(host);
	plan->layouts = host->layout_source;
	plan->syscall_functions = (host->syscalls_why[0] || spares_calls(host, request)) &&
				  !host->kprobes_why[0] && plan->headers;
	plan->given = request->options & OPTION_GIVEN;
	plan->n_choices = n < PLAN_MAX_CHOICES ? (unsigned)n : PLAN_MAX_CHOICES;
	for (unsigned i = 0; i < plan->n_choices; i++) {
		/*
		 * all are chosen before it is known which are wanted: what a candidate uses
		 * wants others
		 */
		plan->choices[i].capability = &table[i];
		choose(plan, &plan->choices[i], request, &v);
	}
	decide_wanted(plan, request);
	for (unsigned i = 0; i < plan->n_choices; i++) {
		struct plan_choice *choice = &plan->choices[i];

		if (numbers_are_for(choice))
			continue;
		if (!choice->wanted)
			drop_unwanted(plan, choice, request);
		if (!choice->chosen)
			continue;
		plan_judge(&v, plan, request, choice->chosen);
		plan_place_probes(plan, i, &v);
		if (!capability_is_internal(choice->capability))
			err = 0;
	}
	numbers_decide(plan, request);
	return err;
}

static void forget_probe(struct plan *plan, unsigned i)
{
	memmove(&plan->probes[i], &plan->probes[i + 1],
		(--plan->n_probes - i) * sizeof(plan->probes[0]));
	for (unsigned k = 0; k < plan->n_choices; k++)
		for (unsigned n = 0; n < plan->choices[k].n_probes; n++)
			/* those behind it move up by one place */
			plan->choices[k].probes[n] -= plan->choices[k].probes[n] > i;
}

bool plan_uses_probe(const struct plan_choice *choice, unsigned probe)
{
	for (unsigned i = 0; i < choice->n_probes; i++)
		if (choice->probes[i] == probe)
			return true;
	return false;
}

/* The first choice with the probe, or -1. */
static int user_of_probe(const struct plan *plan, unsigned probe)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan_uses_probe(&plan->choices[i], probe))
			return (int)i;
	return -1;
}

/* From the last on, so that the places of those still to be looked at stay. */
static void forget_unused_probes(struct plan *plan)
{
	for (unsigned i = plan->n_probes; i-- > 0;) {
		int user = user_of_probe(plan, i);

		if (user < 0)
			forget_probe(plan, i);
		else
			plan->probes[i].choice = (unsigned)user;
	}
}

int plan_narrow(struct plan *plan, const struct plan_request *request)
{
	bool had[PLAN_MAX_CHOICES];
	int err = -ENOENT;

	for (unsigned i = 0; i < plan->n_choices; i++) {
		had[i] = plan->choices[i].wanted;
		plan->choices[i].wanted = false;
	}
	decide_wanted(plan, request);
	numbers_keep(plan, had);
	for (unsigned i = 0; i < plan->n_choices; i++) {
		struct plan_choice *choice = &plan->choices[i];

		if (!had[i]) {
			choice->wanted = false; /* and why stays */
		} else if (!choice->wanted) {
			drop_unwanted(plan, choice, request);
			choice->n_probes = 0;
		} else if (choice->chosen && !capability_is_internal(choice->capability)) {
			err = 0;
		}
	}
	forget_unused_probes(plan);
	return err;
}

int plan_make(struct plan *plan, const struct host *host, const struct plan_request *request)
{
	return plan_make_from(plan, host, request, capabilities, N_CAPABILITIES);
}

const struct plan_choice *plan_find(const struct plan *plan, enum capability_id id)
{
	return id < plan->n_choices ? &plan->choices[id] : NULL;
}

bool plan_has_stream(const struct plan *plan, enum stream_id stream)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].chosen && plan->choices[i].capability->stream == stream)
			return true;
	return false;
}

bool plan_sees_kernel(const struct plan *plan, enum capability_id id)
{
	const struct plan_choice *choice = plan_find(plan, id);

	return choice && choice->chosen && choice->tier == TIER_A;
}

bool plan_lost_to_silence(const struct plan *plan, unsigned choice,
			  const struct plan_request *request)
{
	const struct plan_choice *c = &plan->choices[choice];

	for (unsigned i = 0; i < request->n_silent; i++)
		for (unsigned k = 0; k < c->n_passed && c->wanted && !c->chosen; k++)
			if (c->passed[k].candidate == request->silent[i])
				return true;
	return false;
}

bool plan_has_next(const struct plan *plan, unsigned choice, const struct plan_request *request)
{
	const struct candidate *c = plan->choices[choice].chosen;
	struct verdict v;

	for (c = c ? candidate_next(c) : NULL; c; c = candidate_next(c)) {
		plan_judge(&v, plan, request, c);
		if (v.usable)
			return true;
	}
	return false;
}

const struct feature *plan_feature(const struct plan_choice *choice)
{
	return choice->capability->candidates ? choice->capability->candidates->feature : NULL;
}

const char *plan_stream_off(const struct plan *plan, enum stream_id stream)
{
	const char *why = NULL;

	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *choice = &plan->choices[i];

		if (!choice->wanted || choice->capability->stream != stream)
			continue;
		if (choice->chosen)
			return NULL;
		if (!why)
			why = choice->why;
	}
	return why;
}

char tier_letter(enum tier tier)
{
	switch (tier) {
	case TIER_A:
		return 'a';
	case TIER_B:
		return 'b';
	case TIER_C:
		return 'c';
	case TIER_NONE:
		break;
	}
	return '-';
}

bool plan_has_trait(const struct plan *plan, unsigned traits)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (schema_has(i, traits) && plan_has_stream(plan, i))
			return true;
	return false;
}
