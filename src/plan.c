/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the choice: the first usable candidate of every capability, and why the
 * ones before it lost. Knows no kernel and no event, only the table of
 * candidates and the facts of a host.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "plan.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

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

static bool is_kprobe(const struct probe *probe)
{
	return probe->kind == PROBE_KPROBE || probe->kind == PROBE_KRETPROBE;
}

static bool needs_kprobes(const struct candidate *candidate)
{
	for (const struct probe *p = candidate->probes;
	     p < candidate->probes + MAX_PROBES && p->kind != PROBE_END; p++)
		if (is_kprobe(p) && !(p->flags & PROBE_OPTIONAL))
			return true;
	return false;
}

static bool is_silent(const struct plan_request *request, const struct candidate *candidate)
{
	for (unsigned i = 0; i < request->n_silent; i++)
		if (request->silent[i] == candidate)
			return true;
	return false;
}

static void lose(struct verdict *v, enum cause cause, const char *fmt, const char *what)
	__attribute__((format(printf, 3, 0)));

static void lose(struct verdict *v, enum cause cause, const char *fmt, const char *what)
{
	v->usable = false;
	v->cause = cause;
	snprintf(v->why, sizeof(v->why), fmt, what);
}

/* A candidate for another tier than this host's loses before anything is looked up. */
static void judge_tier(struct verdict *v, const struct plan *plan,
		       const struct candidate *candidate)
{
	if (needs_kprobes(candidate)) {
		if (plan->host->kprobes_why[0])
			lose(v, CAUSE_KPROBES, "needs kprobes%s", "");
		else if (!plan->headers)
			lose(v, CAUSE_HEADERS, "needs kernel headers%s", "");
		else if (!(candidate->tiers & TIER_A))
			lose(v, CAUSE_OTHER, "is not meant for kprobes%s", "");
		return;
	}
	if (plan->headers && !(candidate->tiers & (TIER_A | TIER_B)))
		lose(v, CAUSE_OTHER, "is only for hosts without kernel headers%s", "");
	else if (!plan->headers && !(candidate->tiers & TIER_C))
		lose(v, CAUSE_HEADERS, "needs kernel headers%s", "");
}

static bool fact_of(const struct host *host, const char *name)
{
	for (unsigned i = 0; i < N_FACTS; i++)
		if (!strcmp(fact_name(i), name))
			return host->fact[i];
	log_error("no fact %s in kernel.def", name);
	return false;
}

/* "category:event:field" */
static bool has_field(const struct host *host, const char *what)
{
	const char *last = strrchr(what, ':');
	char target[128];

	if (!last || snprintf(target, sizeof(target), "%.*s", (int)(last - what), what) >=
			     (int)sizeof(target))
		return false;
	return host_tp_has_field(host, target, last + 1);
}

static bool need_holds(const struct host *host, const struct need *need)
{
	switch (need->kind) {
	case NEED_FACT:
	case NEED_NO_FACT:
		return fact_of(host, need->what) == (need->kind == NEED_FACT);
	case NEED_TRACEPOINT:
	case NEED_NO_TRACEPOINT:
		return host_has_tracepoint(host, need->what) == (need->kind == NEED_TRACEPOINT);
	case NEED_FIELD:
	case NEED_NO_FIELD:
		return has_field(host, need->what) == (need->kind == NEED_FIELD);
	case NEED_SYMBOL:
	case NEED_NO_SYMBOL:
		return host_has_symbol(host, need->what) == (need->kind == NEED_SYMBOL);
	case NEED_END:
		break;
	}
	return true;
}

static void judge_needs(struct verdict *v, const struct host *host,
			const struct candidate *candidate)
{
	static const char *const texts[] = {
		[NEED_FACT] = "%s does not hold here",
		[NEED_NO_FACT] = "%s holds here",
		[NEED_TRACEPOINT] = "no tracepoint %s",
		[NEED_NO_TRACEPOINT] = "there is a tracepoint %s",
		[NEED_FIELD] = "no field %s",
		[NEED_NO_FIELD] = "there is a field %s",
		[NEED_SYMBOL] = "no function %s",
		[NEED_NO_SYMBOL] = "there is a function %s",
	};

	for (const struct need *need = candidate->needs;
	     need < candidate->needs + MAX_NEEDS && need->kind != NEED_END && v->usable; need++)
		if (!need_holds(host, need))
			lose(v, host->tracefs[0] ? CAUSE_OTHER : CAUSE_TRACEFS, texts[need->kind],
			     need->what);
}

static bool add_probe(struct verdict *v, const struct probe *probe, const char *target)
{
	struct plan_probe *mine = &v->probes[v->n_probes];

	if (v->n_probes == PLAN_MAX_CHOICE_PROBES || strlen(target) >= sizeof(mine->target)) {
		lose(v, CAUSE_OTHER, "too many probes, or too long a name: %s", target);
		return false;
	}
	*mine = (struct plan_probe){
		.kind = probe->kind,
		.optional = probe->flags & PROBE_OPTIONAL,
		.program = probe->program,
	};
	strcpy(mine->target, target);
	v->n_probes++;
	return true;
}

/* Why the function cannot be probed, or the function and its split-off parts. */
static void judge_kprobe(struct verdict *v, const struct plan *plan, const struct probe *probe,
			 unsigned tiers)
{
	bool optional = probe->flags & PROBE_OPTIONAL;
	const char *target, *part;
	char why[sizeof(v->why)];

	if (plan->host->kprobes_why[0] || !plan->headers || !(tiers & TIER_A))
		return; /* only optional probes come here so */
	target = host_kprobe_target(plan->host, probe->target, probe->flags & PROBE_SUFFIXES, why,
				    sizeof(why));
	if (!target) {
		if (!optional)
			lose(v, CAUSE_OTHER, "%s", why);
		return;
	}
	v->tier = TIER_A;
	if (!add_probe(v, probe, target) || !(probe->flags & PROBE_PARTS))
		return;
	for (unsigned i = 0; (part = host_kprobe_part(plan->host, probe->target, i)); i++)
		if (!add_probe(v, probe, part))
			return;
}

static bool is_syscall(const struct probe *probe)
{
	return probe->kind == PROBE_TRACEPOINT && !strncmp(probe->target, "syscalls:", 9);
}

/*
 * The function of a system call, for a kernel without tracepoints of them. From
 * 4.17 on a wrapper (ebeb8c82ffaf), SyS_NAME before; arm64 from 4.19 on. One
 * without arguments has several names from 5.5 on, and ftrace knows it by the
 * last (seen on 5.10 to 7.2); those of others take the arguments themselves.
 */
static void judge_syscall_function(struct verdict *v, const struct plan *plan, const struct probe *probe)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "SyS_", "sys_", "__do_sys_" };
	size_t n = sizeof(prefixes) / sizeof(prefixes[0]) - !(probe->flags & PROBE_NO_ARGS);
	const char *event = probe->target + strlen("syscalls:sys_");
	bool enter = !strncmp(event, "enter_", 6);
	const char *call = event + (enter ? 6 : 5), *target = NULL;
	struct probe function = *probe;
	char name[128], why[sizeof(v->why)];

	for (size_t i = 0; i < n && !target; i++) {
		snprintf(name, sizeof(name), "%s%s", prefixes[i], call);
		target = host_kprobe_target(plan->host, name, false, why, sizeof(why));
	}
	if (!target) {
		if (!(probe->flags & PROBE_OPTIONAL))
			lose(v, CAUSE_SYSCALLS, "no tracepoint and no function of system call %s", call);
		return;
	}
	function.kind = enter ? PROBE_KPROBE : PROBE_KRETPROBE;
	v->tier = TIER_A;
	add_probe(v, &function, target);
}

static void judge_tracepoint(struct verdict *v, const struct host *host, const struct probe *probe)
{
	enum cause cause = CAUSE_OTHER;

	if (!(is_syscall(probe) && host->syscalls_why[0]) && host_has_tracepoint(host, probe->target)) {
		add_probe(v, probe, probe->target);
		return;
	}
	if (probe->flags & PROBE_OPTIONAL)
		return;
	if (!host->tracefs[0])
		cause = CAUSE_TRACEFS;
	else if (host->syscalls_why[0] && is_syscall(probe))
		cause = CAUSE_SYSCALLS;
	lose(v, cause, "no tracepoint %s", probe->target);
}

static void judge_probes(struct verdict *v, const struct plan *plan,
			 const struct candidate *candidate)
{
	v->tier = plan->headers ? TIER_B : TIER_C;
	for (const struct probe *p = candidate->probes;
	     p < candidate->probes + MAX_PROBES && p->kind != PROBE_END && v->usable; p++) {
		if (is_kprobe(p))
			judge_kprobe(v, plan, p, candidate->tiers);
		else if (is_syscall(p) && plan->syscall_functions && (candidate->tiers & TIER_A))
			judge_syscall_function(v, plan, p);
		else
			judge_tracepoint(v, plan->host, p);
	}
	if (v->usable && !v->n_probes)
		lose(v, CAUSE_OTHER, "none of its probes exists%s", "");
	else if (v->usable && !(candidate->tiers & v->tier))
		lose(v, CAUSE_OTHER, "nothing of it is left without kprobes%s", "");
}

static void judge(struct verdict *v, const struct plan *plan, const struct plan_request *request,
		  const struct candidate *candidate)
{
	v->usable = true;
	v->n_probes = 0;
	if (is_silent(request, candidate))
		lose(v, CAUSE_OTHER, "attached, but never fired here%s", "");
	else
		judge_tier(v, plan, candidate);
	if (v->usable)
		judge_needs(v, plan->host, candidate);
	if (v->usable)
		judge_probes(v, plan, candidate);
}

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
		[CAUSE_HEADERS] = host->headers_why, [CAUSE_KPROBES] = host->kprobes_why,
		[CAUSE_TRACEFS] = host->tracefs_why, [CAUSE_SYSCALLS] = host->syscalls_why,
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

	if (plan->host->bpf_why[0]) {
		snprintf(choice->why, sizeof(choice->why), "%s", plan->host->bpf_why);
		return;
	}
	for (const struct candidate *c = choice->capability->candidates; c && c->name; c++) {
		judge(v, plan, request, c);
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

static bool is_internal(const struct capability *capability)
{
	return !strcmp(capability->stream, "-");
}

static bool stream_wanted(const struct plan_request *request, const struct capability *capability)
{
	if (!request->streams || is_internal(capability))
		return true;
	for (const char *const *name = request->streams; *name; name++)
		if (!strcmp(*name, capability->stream))
			return true;
	return false;
}

static bool word_among(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* Is one of these candidates (blank-separated) chosen for a wanted capability? */
static bool any_chosen(const struct plan *plan, const char *names)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *choice = &plan->choices[i];

		if (choice->wanted && choice->chosen && word_among(names, choice->chosen->name))
			return true;
	}
	return false;
}

/* A capability may serve one that serves another: until nothing changes. */
static void decide_wanted(struct plan *plan, const struct plan_request *request)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (unsigned i = 0; i < plan->n_choices; i++) {
			struct plan_choice *choice = &plan->choices[i];
			const struct capability *capability = choice->capability;

			if (choice->wanted || !stream_wanted(request, capability) ||
			    (capability->only_with &&
			     !any_chosen(plan, capability->only_with)))
				continue;
			choice->wanted = changed = true;
		}
	}
}

static void drop_unwanted(struct plan_choice *choice, const struct plan_request *request)
{
	const struct capability *capability = choice->capability;

	choice->chosen = NULL;
	choice->tier = TIER_NONE;
	choice->n_passed = 0;
	if (stream_wanted(request, capability))
		snprintf(choice->why, sizeof(choice->why), "only needed with %s",
			 capability->only_with);
	else
		snprintf(choice->why, sizeof(choice->why), "stream not asked for");
}

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

static void place_probes(struct plan *plan, unsigned index, const struct verdict *v)
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
	plan->headers = host->headers[0] != '\0';
	plan->syscall_functions = host->syscalls_why[0] && !host->kprobes_why[0] && plan->headers;
	plan->n_choices = n < PLAN_MAX_CHOICES ? (unsigned)n : PLAN_MAX_CHOICES;
	for (unsigned i = 0; i < plan->n_choices; i++) {
		plan->choices[i].capability = &table[i];
		choose(plan, &plan->choices[i], request, &v);
	}
	decide_wanted(plan, request);
	for (unsigned i = 0; i < plan->n_choices; i++) {
		struct plan_choice *choice = &plan->choices[i];

		if (!choice->wanted)
			drop_unwanted(choice, request);
		if (!choice->chosen)
			continue;
		judge(&v, plan, request, choice->chosen);
		place_probes(plan, i, &v);
		if (!is_internal(choice->capability))
			err = 0;
	}
	return err;
}

int plan_make(struct plan *plan, const struct host *host, const struct plan_request *request)
{
	return plan_make_from(plan, host, request, capabilities, n_capabilities);
}

const struct plan_choice *plan_find(const struct plan *plan, const char *stream,
				    const char *operation, const char *path)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct capability *c = plan->choices[i].capability;

		if (!strcmp(c->stream, stream) && !strcmp(c->operation, operation) &&
		    !strcmp(c->path, path))
			return &plan->choices[i];
	}
	return NULL;
}

bool plan_uses(const struct plan *plan, const char *candidate)
{
	return any_chosen(plan, candidate);
}

bool plan_has_stream(const struct plan *plan, const char *stream)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].chosen && !strcmp(plan->choices[i].capability->stream, stream))
			return true;
	return false;
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
