/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether one candidate can serve on a host: its tier, what it needs, and each
 * probe that it would attach. Knows no kernel and no event, only the candidate
 * and the facts of the host.
 */
#include "plan/plan_judge.h"

#include <stdio.h>
#include <string.h>

#include "compat/candidates/calls.h"
#include "compat/host/facts.h"
#include "compat/host/tracefs.h"
#include "compat/layout/layout.h"
#include "row/schema.h"

/* Optional probes do not count: without kprobes the candidate goes without them. */
static bool needs_kprobes(const struct candidate *candidate)
{
	struct probe p;

	for (unsigned i = 0; candidate_probe(candidate, i, &p); i++)
		if (probe_is_on_function(p.kind) && !(p.flags & PROBE_OPTIONAL))
			return true;
	return false;
}

/* The name of a requested stream that has a row for each call; NULL: none. No stream named: every one. */
static const char *row_per_call(const struct plan_request *request)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (schema_has(i, ROW_PER_CALL) &&
		    (!request->streams || request->streams & STREAM_BIT(i)))
			return streams[i].name;
	return NULL;
}

static bool is_among(const struct candidate *candidate, const struct candidate *const *list,
		     unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i] == candidate)
			return true;
	return false;
}

static void reject(struct verdict *v, enum cause cause, const char *fmt, const char *what)
	__attribute__((format(printf, 3, 0)));

static void reject(struct verdict *v, enum cause cause, const char *fmt, const char *what)
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
			reject(v, CAUSE_KPROBES, "needs kprobes%s", "");
		else if (!plan->headers)
			reject(v, CAUSE_HEADERS, "needs kernel headers or BTF%s", "");
		else if (!host_has_prototypes(plan->host) && !candidate->fixed_arguments)
			reject(v, CAUSE_OTHER, "needs prototypes, which cannot be learned%s", "");
		else if (!(candidate->tiers & TIER_A))
			reject(v, CAUSE_OTHER, "is for hosts without kprobes%s", "");
		return;
	}
	if (plan->headers && !(candidate->tiers & (TIER_A | TIER_B)))
		reject(v, CAUSE_OTHER, "is only for hosts whose layouts are unknown%s", "");
	else if (!plan->headers && !(candidate->tiers & TIER_C))
		reject(v, CAUSE_HEADERS, "needs kernel headers or BTF%s", "");
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

static bool is_fact(const struct need *need)
{
	return need->kind == NEED_FACT || need->kind == NEED_NO_FACT;
}

/*
 * The first of these members that was not learned, in out; false when there is
 * none. Other layouts have what the facts of kernel.def do not deny.
 */
static bool find_missing(const struct host *host, const char *members, char out[64])
{
	char member[64];
	size_t len;

	if (!host->layout || !host->layout->is_partial)
		return false;
	for (; *members; members += len + (members[len] == ' ')) {
		char *dot;

		len = strcspn(members, " ");
		snprintf(out, 64, "%.*s", (int)len, members);
		strcpy(member, out);
		dot = strchr(member, '.');
		if (!dot)
			return true;
		*dot = '\0';
		if (!layout_has_member(host->layout, member, dot + 1))
			return true;
	}
	return false;
}

static bool need_holds(const struct host *host, const struct need *need)
{
	switch (need->kind) {
	case NEED_FACT:
	case NEED_NO_FACT:
		return host->fact[need->fact] == (need->kind == NEED_FACT);
	case NEED_TRACEPOINT:
	case NEED_NO_TRACEPOINT:
		return host_has_tracepoint(host, need->what) == (need->kind == NEED_TRACEPOINT);
	case NEED_FIELD:
	case NEED_NO_FIELD:
		return has_field(host, need->what) == (need->kind == NEED_FIELD);
	case NEED_SYMBOL:
	case NEED_NO_SYMBOL:
		return host_has_symbol(host, need->what) == (need->kind == NEED_SYMBOL);
	case NEED_MEMBERS:
		return !find_missing(host, need->what, (char[64]){ 0 });
	case NEED_END:
		break;
	}
	return true;
}

const char *plan_absent(const struct host *host, const struct feature *feature)
{
	if (!feature || !host->tracefs[0])
		return NULL;
	for (const struct need *sign = feature->signs;
	     sign < feature->signs + MAX_NEEDS && sign->kind != NEED_END; sign++) {
		/* kallsyms takes long to read, and is read where kprobes can be used */
		if (sign->kind == NEED_SYMBOL && host->kprobes_why[0])
			continue;
		if (need_holds(host, sign))
			return NULL;
	}
	return feature->absent;
}

static void judge_needs(struct verdict *v, const struct host *host,
			const struct candidate *candidate)
{
	static const char *const texts[] = {
		[NEED_FACT] = "%s is not true here",
		[NEED_NO_FACT] = "%s is true here",
		[NEED_TRACEPOINT] = "no tracepoint %s",
		[NEED_NO_TRACEPOINT] = "there is a tracepoint %s",
		[NEED_FIELD] = "no field %s",
		[NEED_NO_FIELD] = "there is a field %s",
		[NEED_SYMBOL] = "no function %s",
		[NEED_NO_SYMBOL] = "there is a function %s",
		[NEED_MEMBERS] = "offset of %s unknown",
	};

	for (const struct need *need = candidate->needs;
	     need < candidate->needs + MAX_NEEDS && need->kind != NEED_END && v->usable; need++) {
		char missing[64];
		const char *what = is_fact(need) ? fact_name(need->fact) : need->what;

		if (need_holds(host, need))
			continue;
		if (need->kind == NEED_MEMBERS && find_missing(host, need->what, missing))
			what = missing;
		reject(v, host->tracefs[0] ? CAUSE_OTHER : CAUSE_TRACEFS, texts[need->kind], what);
	}
}

static bool add_probe(struct verdict *v, const struct probe *probe, const char *target)
{
	struct plan_probe *mine = &v->probes[v->n_probes];

	if (v->n_probes == PLAN_MAX_CHOICE_PROBES || strlen(target) >= sizeof(mine->target)) {
		reject(v, CAUSE_OTHER, "too many probes, or too long a name: %s", target);
		return false;
	}
	*mine = (struct plan_probe){
		.kind = probe->kind,
		/* a function that is there has to call its program */
		.optional = probe->flags & PROBE_OPTIONAL && !probe_is_trampoline(probe->kind),
		.program = probe->program,
		.flags = probe->flags,
	};
	strcpy(mine->target, target);
	v->n_probes++;
	return true;
}

/*
 * The function of a system call. From 4.17 on a wrapper (ebeb8c82ffaf), SyS_NAME
 * before; arm64 from 4.19 on. One without arguments has several names, and ftrace
 * knows it by one of the last: __ia32_sys_NAME before 5.7 where there are 32-bit
 * programs (seen on 5.4), __do_sys_NAME after (5.10 to 7.2); those of others take the
 * arguments themselves. With PROBE_CALL32 it is the function that 32-bit programs call. Returns
 * name with the function's name in it, or NULL when none can be probed.
 */
static const char *syscall_function(const struct host *host, const char *call, unsigned flags,
				    char name[128])
{
	static const char *const plain[] = { "__x64_sys_", "__arm64_sys_", "SyS_",
					     "sys_",       "__do_sys_",    "__ia32_sys_" };
	static const char *const compat[] = { "__ia32_compat_sys_", "__ia32_sys_",
					      "__arm64_compat_sys_" };
	const char *const *prefixes = flags & PROBE_CALL32 ? compat : plain;
	size_t n = sizeof(plain) / sizeof(plain[0]) - (flags & PROBE_NO_ARGS ? 0 : 2);
	const char *target = NULL;
	char why[160];

	if (flags & PROBE_CALL32)
		n = sizeof(compat) / sizeof(compat[0]);
	for (size_t i = 0; i < n && !target; i++) {
		snprintf(name, 128, "%s%s", prefixes[i], call);
		target = host_kprobe_target(host, name, false, why, sizeof(why));
	}
	return target;
}

/* Why the function cannot be probed, or the function and its split-off parts. */
static void judge_function(struct verdict *v, const struct plan *plan, const struct probe *probe,
			   unsigned tiers)
{
	bool optional = probe->flags & PROBE_OPTIONAL;
	const char *target, *part;
	char name[128], why[sizeof(v->why)];

	if (plan->host->kprobes_why[0] || !plan->headers || !(tiers & TIER_A))
		return; /* only optional probes come here so */
	if (probe->flags & (PROBE_CALL | PROBE_CALL32)) {
		snprintf(why, sizeof(why), "no function of system call %s", probe->target);
		target = syscall_function(plan->host, probe->target, probe->flags, name);
	} else {
		target = host_kprobe_target(plan->host, probe->target,
					    probe->flags & PROBE_SUFFIXES, why, sizeof(why));
	}
	if (!target) {
		if (!optional)
			reject(v, CAUSE_OTHER, "%s", why);
		return;
	}
	v->tier = TIER_A;
	if (!add_probe(v, probe, target) || !(probe->flags & PROBE_PARTS))
		return;
	for (unsigned i = 0; (part = host_kprobe_part(plan->host, probe->target, i)); i++)
		if (!add_probe(v, probe, part))
			return;
}

/* For a kernel without tracepoints of system calls. */
static void judge_syscall_function(struct verdict *v, const struct plan *plan,
				   const struct probe *probe)
{
	const char *event = probe->target + strlen("syscalls:sys_");
	bool enter = !strncmp(event, "enter_", 6);
	const char *call = event + (enter ? 6 : 5);
	char name[128];
	const char *target = syscall_function(plan->host, call, probe->flags, name);
	struct probe function = *probe;

	if (!target) {
		if (!(probe->flags & PROBE_OPTIONAL))
			reject(v, CAUSE_SYSCALLS, "no tracepoint and no function of system call %s",
			       call);
		return;
	}
	function.kind = enter ? PROBE_KPROBE : PROBE_KRETPROBE;
	v->tier = TIER_A;
	add_probe(v, &function, target);
}

static void judge_tracepoint(struct verdict *v, const struct host *host, const struct probe *probe)
{
	enum cause cause = CAUSE_OTHER;

	if (!(probe_is_syscall(probe->kind, probe->target) && host->syscalls_why[0]) &&
	    host_has_tracepoint(host, probe->target)) {
		add_probe(v, probe, probe->target);
		return;
	}
	if (probe->flags & PROBE_OPTIONAL)
		return;
	if (!host->tracefs[0])
		cause = CAUSE_TRACEFS;
	else if (host->syscalls_why[0] && probe_is_syscall(probe->kind, probe->target))
		cause = CAUSE_SYSCALLS;
	reject(v, cause, "no tracepoint %s", probe->target);
}

static void judge_probes(struct verdict *v, const struct plan *plan,
			 const struct candidate *candidate)
{
	struct probe p;

	/* until a function among its probes makes it tier a */
	v->tier = plan->headers ? TIER_B : TIER_C;
	for (unsigned i = 0; v->usable && candidate_probe(candidate, i, &p); i++) {
		if (probe_is_on_function(p.kind))
			judge_function(v, plan, &p, candidate->tiers);
		else if (probe_is_syscall(p.kind, p.target) && plan->syscall_functions &&
			 (candidate->tiers & TIER_A))
			judge_syscall_function(v, plan, &p);
		else
			judge_tracepoint(v, plan->host, &p);
	}
	if (v->usable && !v->n_probes)
		reject(v, CAUSE_OTHER, "none of its probes exists%s", "");
	else if (v->usable && !(candidate->tiers & v->tier))
		reject(v, CAUSE_OTHER, "needs kprobes altogether%s", "");
}

void plan_judge(struct verdict *v, const struct plan *plan, const struct plan_request *request,
		const struct candidate *candidate)
{
	v->usable = true;
	v->n_probes = 0;
	/*
	 * first what was seen here: a candidate that looks right and did not fire is not
	 * tried again
	 */
	if (is_among(candidate, request->silent, request->n_silent))
		reject(v, CAUSE_OTHER, "attached, but never fired here%s", "");
	else if (is_among(candidate, request->unattached, request->n_unattached))
		reject(v, CAUSE_OTHER, "did not attach%s", "");
	else if (candidate->only_counts && row_per_call(request))
		reject(v, CAUSE_OTHER, "only where stream %s is not recorded",
		       row_per_call(request));
	else
		judge_tier(v, plan, candidate);
	if (v->usable)
		judge_needs(v, plan->host, candidate);
	if (v->usable)
		judge_probes(v, plan, candidate);
}
