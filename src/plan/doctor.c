/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns how a host and its plan are shown, as a table for people. Decides nothing: every word comes from the facts, the table of
 * candidates or the planner.
 */
#include "plan/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/plain.h"
#include "compat/host/facts.h"
#include "compat/host/host.h"
#include "compat/host/saved.h"
#include "plan/doctor_json.h"
#include "plan/doctor_report.h"
#include "plan/plan.h"
#include "plan/plan_probes.h"

/* What a capability cannot see, each said once below the table; pieces of static texts. */
enum { MAX_NOTES = 64 };
struct doctor_notes {
	const char *text[MAX_NOTES];
	int len[MAX_NOTES];
	unsigned n;
};

static void print_fact(const char *name, const char *value, const char *otherwise)
{
	printf("%-12s ", name);
	plain_put(stdout, value[0] ? value : otherwise);
	putchar('\n');
}

static void print_limits(const struct host *host)
{
	printf("%-12s perf_event_paranoid %d, unprivileged_bpf_disabled %d, locked memory ",
	       "limits", host->perf_event_paranoid, host->unprivileged_bpf_disabled);
	if (host->memlock == LLONG_MAX)
		puts("unlimited");
	else
		printf("%lld bytes\n", host->memlock);
}

/* Where the layout of the kernel's structures comes from; "" when it is unknown. */
static const char *layouts_text(const struct host *host)
{
	switch (host->layout_source) {
	case LAYOUT_HEADERS:
		return "from the kernel headers";
	case LAYOUT_KHEADERS:
		return "from the kernel's own headers (/sys/kernel/kheaders.tar.xz)";
	case LAYOUT_BTF:
		return host->live ? "from BTF (/sys/kernel/btf/vmlinux)" :
				    "from the BTF of the host";
	case LAYOUT_LEARNED:
		return host->live ? "learned from objects of this kernel" : "learned on the host";
	default:
		return "";
	}
}

static void print_host(const struct host *host)
{
	const char *tiers[3];
	unsigned n = doctor_tiers(host, tiers);

	printf("%-12s ", "kernel");
	plain_printf(stdout, "%s %s%s%s", host->release, host->machine,
		     host->version[0] ? ", " : "", host->version);
	putchar('\n');
	printf("%-12s", "tiers");
	for (unsigned i = 0; i < n; i++)
		printf(" %s", tiers[i]);
	puts(n ? "  (a: kprobes and layouts, b: tracepoints and layouts, c: tracepoints alone)" :
		 " none");
	print_fact("bpf", host->bpf_why, "can be used");
	print_fact("headers", doctor_path(host, host->headers), host->headers_why);
	print_fact("layouts", layouts_text(host), host->layout_why);
	print_fact("kprobes", host->kprobes_why, "can be used");
	print_fact("tracefs", doctor_path(host, host->tracefs), host->tracefs_why);
	print_fact("syscalls", host->syscalls_why, "tracepoints exist");
	print_fact("lockdown", doctor_lockdown(host->lockdown), "");
	if (host->io_uring_disabled > 0)
		print_fact("io_uring", host_uring_why(host), "");
	if (host->live)
		print_limits(host);
	if (log_get_level() < LOG_VERBOSE)
		return;
	for (unsigned i = 0; i < N_FACTS; i++)
		printf("%-12s %s: %s (since %s)\n", "fact", fact_name(i),
		       host->fact[i] ? "yes" : "no", fact_since(i));
}

static bool same_target(const struct plan *plan, const struct plan_choice *choice, unsigned i)
{
	const char *target = plan->probes[choice->probes[i]].target;

	for (unsigned k = 0; k < i; k++)
		if (!strcmp(plan->probes[choice->probes[k]].target, target))
			return true;
	return false;
}

/* What calls the programs of system calls is no thing of its own. */
static bool calls_by_number(const struct plan *plan, const struct plan_probe *probe)
{
	return probe_is_of_all_calls(probe->kind, probe->target) &&
	       plan_has_kind(plan, PROBE_NUMBER, PROBE_NUMBER);
}

/* Entry and return of one function are one thing to a reader, as are both ends of a call. */
static void print_probes(const struct plan *plan, const struct plan_choice *choice)
{
	unsigned shown = 0;

	for (unsigned i = 0; i < choice->n_probes; i++) {
		const struct plan_probe *probe = &plan->probes[choice->probes[i]];

		if (!strncmp(probe->target, "syscalls:sys_exit_", 18) ||
		    calls_by_number(plan, probe) || same_target(plan, choice, i))
			continue;
		if (!strncmp(probe->target, "syscalls:sys_enter_", 19))
			plain_printf(stdout, "%s%s(2)", shown++ ? ", " : "", probe->target + 19);
		else if (probe->kind == PROBE_TRACEPOINT || probe->kind == PROBE_RAW)
			plain_printf(stdout, "%s%s", shown++ ? ", " : "", probe->target);
		else
			plain_printf(stdout, "%s%s()", shown++ ? ", " : "", probe->target);
	}
}

/* The number of a note, from 1; 0 when there is no room for another. */
static unsigned note_number(struct doctor_notes *notes, const char *text, int len)
{
	for (unsigned i = 0; i < notes->n; i++)
		if (notes->len[i] == len && !strncmp(notes->text[i], text, len))
			return i + 1;
	if (notes->n == MAX_NOTES)
		return 0;
	notes->text[notes->n] = text;
	notes->len[notes->n] = len;
	return ++notes->n;
}

/* "this; that" as the numbers of its two notes */
static void print_note_numbers(struct doctor_notes *notes, const char *limits)
{
	static const char between[] = "; ";

	for (const char *text = limits, *end; text; text = end ? end + strlen(between) : NULL) {
		int len;
		unsigned number;

		end = strstr(text, between);
		len = end ? (int)(end - text) : (int)strlen(text);
		number = note_number(notes, text, len);
		if (number)
			printf(" [%u]", number);
		else
			printf(" (%.*s)", len, text);
	}
}

static void print_notes(const struct doctor_notes *notes)
{
	if (notes->n)
		putchar('\n');
	for (unsigned i = 0; i < notes->n; i++)
		printf("[%u] %.*s\n", i + 1, notes->len[i], notes->text[i]);
}

static void print_choice(const struct doctor_report *report, const struct plan_choice *choice)
{
	const struct capability *capability = choice->capability;
	const char *verdict = doctor_verdict(report, choice);
	char operation[64];

	snprintf(operation, sizeof(operation), "%s%s%s", capability->operation,
		 capability->path[0] ? " " : "", capability->path);
	printf("%-9s %-16s %c  ", capability_stream(capability), operation,
	       tier_letter(choice->tier));
	if (report->options->test_verdict)
		printf("%-10s ", verdict ? verdict : "-");
	if (!choice->chosen) {
		if (choice->wanted)
			printf("off, no rows of %s: ", capability->doc);
		plain_put(stdout, choice->why);
		putchar('\n');
	} else {
		print_probes(report->plan, choice);
		if (capability->option)
			printf(" (only with %s)", capability_option(capability));
		if (choice->chosen->limits)
			print_note_numbers(report->notes, choice->chosen->limits);
		putchar('\n');
	}
	if (log_get_level() < LOG_VERBOSE || !choice->chosen)
		return;
	printf("%-29sas: %s, for %s\n", "", choice->chosen->name, capability->doc);
	for (unsigned i = 0; i < choice->n_passed; i++) {
		printf("%-29snot %s: ", "", choice->passed[i].candidate->name);
		plain_put(stdout, choice->passed[i].why);
		putchar('\n');
	}
}

/* What the kernel does not have is one line, at the last place that it would serve. */
static void print_absent(const struct doctor_report *report, const struct plan_choice *choice)
{
	const struct plan *plan = report->plan;

	for (const struct plan_choice *c = choice + 1; c < plan->choices + plan->n_choices; c++)
		if (!capability_is_internal(c->capability) &&
		    plan_feature(c) == plan_feature(choice))
			return;
	printf("%-9s %-16s %c  ", capability_stream(choice->capability), "",
	       tier_letter(TIER_NONE));
	if (report->options->test_verdict)
		printf("%-10s ", "-");
	fputs("off: ", stdout);
	plain_put(stdout, choice->why);
	putchar('\n');
}

static void print_choices(const struct doctor_report *report, bool internal)
{
	for (unsigned i = 0; i < report->plan->n_choices; i++) {
		const struct plan_choice *choice = &report->plan->choices[i];

		if (capability_is_internal(choice->capability) != internal)
			continue;
		if (choice->absent && !internal)
			print_absent(report, choice);
		else
			print_choice(report, choice);
	}
}

static void print_text(const struct doctor_report *report)
{
	print_host(report->host);
	printf("\n%-5s %-16s %s  %s%s\n", "what", "operation", "tier",
	       report->options->test_verdict ? "self-test  " : "", "through");
	print_choices(report, false);
	if (log_get_level() >= LOG_VERBOSE)
		print_choices(report, true);
	print_notes(report->notes);
	printf("\n%s\n", report->can_trace ? "something can be traced" : "nothing can be traced");
}

static int show(const struct doctor_options *options, const struct host *host)
{
	static const struct plan_request everything = { .options = OPTION_DROPS };
	static struct doctor_notes notes;
	struct doctor_report report = { .options = options, .host = host, .notes = &notes };

	notes.n = 0;

	report.plan = malloc(sizeof(*report.plan));
	if (!report.plan) {
		log_error("no memory for a plan");
		return 1;
	}
	report.can_trace = !plan_make(report.plan, host, &everything);
	if (options->test_start && host->live)
		report.test = options->test_start(report.plan);
	if (!options->json)
		print_text(&report);
	else if (doctor_print_json(&report))
		log_error("standard output: cannot write the report");
	if (options->test_end && report.test)
		options->test_end(report.test);
	free(report.plan);
	return report.can_trace ? 0 : 1;
}

int doctor_run(const struct doctor_options *options)
{
	struct host *host = host_open(&options->host);
	int status;

	if (!host)
		return 1;
	if (!options->collect) {
		status = show(options, host);
	} else {
		status = saved_write(host, options->collect) ? 1 : 0;
		if (!status)
			log_note("facts of %s saved to %s", host->release, options->collect);
	}
	host_close(host);
	return status;
}
