/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the report as JSON, and the words that it shares with the table. */
#include "plan/doctor_json.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/log.h"
#include "compat/host/facts.h"
#include "compat/host/layout_source.h"
#include "plan/plan_json.h"

const char *doctor_lockdown(enum lockdown lockdown)
{
	static const char *const text[] = {
		[LOCKDOWN_UNKNOWN] = "unknown",
		[LOCKDOWN_NONE] = "none",
		[LOCKDOWN_INTEGRITY] = "integrity",
		[LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
	};

	return text[lockdown];
}

unsigned doctor_tiers(const struct host *host, const char **names)
{
	unsigned n = 0;

	if (host->bpf_why[0])
		return 0;
	if (host_has_prototypes(host) && !host->kprobes_why[0])
		names[n++] = "a";
	if (host_has_layout(host) && host->tracefs[0])
		names[n++] = "b";
	if (host->tracefs[0])
		names[n++] = "c";
	return n;
}

const char *doctor_verdict(const struct doctor_report *report, const struct plan_choice *choice)
{
	if (!report->options->test_verdict || !choice->chosen)
		return NULL;
	return report->options->test_verdict(report->test, choice);
}

/* root: "" on this machine. */
const char *doctor_path(const struct host *host, const char *path)
{
	size_t len = strlen(host->root);

	return len && !strncmp(path, host->root, len) && path[len] == '/' ? path + len : path;
}

static void set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		log_warn("no memory for %s of the report", key);
}

static json_t *usable(const char *why)
{
	json_t *json = json_object();

	set(json, "usable", json_boolean(!why[0]));
	set(json, "why", json_text(why));
	return json;
}

/* null: of a saved host, not to be read (below 0), or without a limit (LLONG_MAX). */
static json_t *setting(const struct host *host, long long value)
{
	return !host->live || value < 0 || value == LLONG_MAX ? json_null() : json_integer(value);
}

static json_t *json_of_headers(const struct host *host)
{
	json_t *json = usable(host->headers_why);

	set(json, "path", json_text(doctor_path(host, host->headers)));
	set(json, "source", json_text(doctor_path(host, host->headers_source)));
	return json;
}

static json_t *json_of_layout(const struct host *host)
{
	json_t *json = usable(host->layout_why);

	set(json, "source", json_text(layout_source_name(host->layout_source)));
	return json;
}

static json_t *json_of_host(const struct host *host)
{
	json_t *json = json_object(), *list = json_array(), *facts = json_object();
	const char *tiers[3];
	unsigned n = doctor_tiers(host, tiers);

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(list, json_string(tiers[i]));
	for (unsigned i = 0; i < N_FACTS; i++)
		set(facts, fact_name(i), json_boolean(host->fact[i]));
	set(json, "live", json_boolean(host->live));
	set(json, "release", json_text(host->release));
	set(json, "version", json_text(host->version));
	set(json, "machine", json_text(host->machine));
	set(json, "build_id", json_text(host->build_id));
	set(json, "tiers", list);
	set(json, "bpf", usable(host->bpf_why));
	set(json, "headers", json_of_headers(host));
	set(json, "layout", json_of_layout(host));
	set(json, "kprobes", usable(host->kprobes_why));
	set(json, "tracefs", usable(host->tracefs_why));
	set(json, "syscall_tracepoints", usable(host->syscalls_why));
	set(json, "lockdown", json_string(doctor_lockdown(host->lockdown)));
	set(json, "btf", json_boolean(host->has_btf));
	set(json, "perf_event_paranoid", setting(host, host->perf_event_paranoid));
	set(json, "unprivileged_bpf_disabled", setting(host, host->unprivileged_bpf_disabled));
	set(json, "io_uring_disabled", setting(host, host->io_uring_disabled));
	set(json, "memlock", setting(host, host->memlock));
	set(json, "facts", facts);
	return json;
}

/* Besides what manifests have */
static json_t *json_of_choice(const struct doctor_report *report, const struct plan_choice *choice)
{
	const struct capability *capability = choice->capability;
	json_t *json = plan_choice_json(report->plan, choice);

	set(json, "doc", json_text(capability->doc));
	set(json, "wanted", json_boolean(choice->wanted));
	set(json, "option", json_text(capability_option(capability)));
	set(json, "self_test", json_text(doctor_verdict(report, choice)));
	return json;
}

int doctor_print_json(const struct doctor_report *report)
{
	json_t *json = json_object(), *list = json_array();
	int err;

	for (unsigned i = 0; i < report->plan->n_choices; i++)
		json_array_append_new(list, json_of_choice(report, &report->plan->choices[i]));
	set(json, "can_trace", json_boolean(report->can_trace));
	set(json, "host", json_of_host(report->host));
	set(json, "capabilities", list);
	err = json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(json);
	putchar('\n');
	return err;
}
