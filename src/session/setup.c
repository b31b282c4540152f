/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the messages that say why nothing can be traced, and what to do about it. */
#include "session/setup.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/phase.h"
#include "compat/host/host.h"
#include "image/plan_text.h"

#define TRACEFS "/sys/kernel/tracing"
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu /* its inode, always: PROC_PID_INIT_INO */

/* Nobody mounts tracefs on minimal systems; root may, where the kernel made the folder. */
static void mount_tracefs(void)
{
	if (access(TRACEFS "/events", F_OK) == 0 ||
	    access("/sys/kernel/debug/tracing/events", F_OK) == 0)
		return;
	if (geteuid() == 0 && mount("nodev", TRACEFS, "tracefs", 0, NULL) == 0)
		log_detail("mounted tracefs at " TRACEFS);
}

/* Of one stream the reason is told, of several that would be a list. */
static const char *why_nothing(const struct plan *plan, const bool chosen[N_STREAMS])
{
	const char *why = NULL;

	if (plan->host->tracefs_why[0])
		return plan->host->tracefs_why;
	for (int i = 0; i < N_STREAMS; i++) {
		const char *off = chosen[i] ? plan_stream_off(plan, i) : NULL;

		if (off && why && strcmp(off, why))
			return "no probe fits this kernel";
		if (off)
			why = off;
	}
	return why ? why : "no probe fits this kernel";
}

static uint32_t set_of(const bool chosen[N_STREAMS])
{
	uint32_t set = 0;

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (chosen[i])
			set |= STREAM_BIT(i);
	return set;
}

static int open_host(struct host **host, const struct host_options *options)
{
	if (!*host) {
		if (!options->root || !strcmp(options->root, "/"))
			mount_tracefs();
		phase_begin("facts");
		*host = host_open(options);
	}
	if (!*host)
		return 1;
	if (!(*host)->bpf_why[0])
		return 0;
	log_error("%s", (*host)->bpf_why);
	return 1;
}

int setup_check_namespace(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_PID_NAMESPACE)
		return 0;
	log_error(
		"not in the host's PID namespace, whose process numbers the kernel reports: run on the host, or in a container with docker run --pid=host");
	return -EPERM;
}

int setup_plan(struct host **host, struct plan *plan, const struct host_options *options,
	       const bool chosen[N_STREAMS], const struct plan_request *queries)
{
	struct plan_request request = { 0 };

	if (queries)
		request = *queries;
	request.streams = set_of(chosen);
	if (open_host(host, options))
		return 1;
	phase_begin("plan");
	if (plan_make(plan, *host, &request)) {
		log_error("nothing can be traced here: %s; see `iotracer doctor`",
			  why_nothing(plan, chosen));
		return 1;
	}
	return 0;
}

/* ---- the plan of an image ---- */

static int read_image_plan(struct plan *plan, const struct host *host,
			   const struct setup_image *image)
{
	int err = plan_from_text(plan, host, image->plan);

	if (err == -ESTALE)
		log_error("%s was built by another build of iotracer: rebuild it with this one",
			  image->name);
	else if (err)
		log_error("%s: cannot use its plan: %s", image->name, strerror(-err));
	return err;
}

static bool probes_of(const struct plan *plan, enum probe_kind kind, const char *prefix)
{
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (plan->probes[i].kind == kind &&
		    !strncmp(plan->probes[i].target, prefix, strlen(prefix)))
			return true;
	return false;
}

static bool is_on_functions(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (probe_is_on_function(plan->probes[i].kind))
			return true;
	return false;
}

/* The option that the image cannot follow, or NULL: its programs were compiled for other ones. */
static const char *contradiction(const struct plan *plan, const struct host_options *options)
{
	if (options->layout == LAYOUT_NONE && plan->headers)
		return "--layout none";
	if (options->no_kprobes && is_on_functions(plan))
		return "--no-kprobes";
	if (options->no_syscall_events && (probes_of(plan, PROBE_TRACEPOINT, "syscalls:") ||
					   probes_of(plan, PROBE_NUMBER, "syscalls:")))
		return "--no-syscall-events";
	return NULL;
}

/* A capability of the stream, or (option not 0) one that the option turns on. */
static bool has_capability(const struct plan *plan, enum stream_id stream, unsigned option)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *c = &plan->choices[i];

		if (c->wanted &&
		    (option ? c->capability->option == option : c->capability->stream == stream))
			return true;
	}
	return false;
}

static int check_wishes(const struct plan *plan, const bool chosen[N_STREAMS],
			const struct plan_request *queries, const struct setup_image *image)
{
	for (int i = 0; i < N_EVENT_STREAMS && image->named; i++) {
		if (!chosen[i] || schema_has(i, ALWAYS_RECORDED) || has_capability(plan, i, 0))
			continue;
		log_error("%s was built without stream %s", image->name, streams[i].name);
		return 1;
	}
	if ((queries->options & OPTION_GIVEN) && !plan->given) {
		log_error("%s was built without --given", image->name);
		return 1;
	}
	if (!(queries->options & OPTION_DROPS) || has_capability(plan, N_STREAMS, OPTION_DROPS))
		return 0;
	log_error("%s was built without --drops", image->name);
	return 1;
}

int setup_image_plan(struct host **host, struct plan *plan, const struct host_options *options,
		     const bool chosen[N_STREAMS], const struct plan_request *queries,
		     const struct setup_image *image)
{
	const char *option;
	struct plan_request request = *queries;
	struct host_options facts = *options;

	/* what needed them is compiled already */
	facts.layout = LAYOUT_NONE;
	facts.headers = NULL;
	request.streams = set_of(chosen);
	if (open_host(host, &facts) || read_image_plan(plan, *host, image))
		return 1;
	if (options->headers) {
		log_error("--headers has no effect with an image: %s is already compiled",
			  image->name);
		return 1;
	}
	option = contradiction(plan, options);
	if (option) {
		log_error("%s was built without %s: give that option to `iotracer build`",
			  image->name, option);
		return 1;
	}
	/* such probes may be attached all the same, and never fire */
	if ((*host)->kprobes_why[0] && host_has_symbols(*host) && is_on_functions(plan)) {
		log_error("%s has kprobes: %s", image->name, (*host)->kprobes_why);
		return 1;
	}
	if (check_wishes(plan, chosen, queries, image))
		return 1;
	if (!plan_narrow(plan, &request))
		return 0;
	log_error("%s has no probe for the chosen streams: %s", image->name,
		  why_nothing(plan, chosen));
	return 1;
}

void setup_report(const struct plan *plan, const bool *named)
{
	for (int i = 0; i < N_STREAMS && named; i++) {
		const char *why = named[i] ? plan_stream_off(plan, i) : NULL;

		if (why)
			log_warn("no rows of %s: %s", streams[i].name, why);
	}
	for (int i = 0; i < N_STREAMS && named; i++)
		if (named[i] && schema_has(i, NEEDS_URING) && plan->host->io_uring_disabled == 2)
			log_warn("no rows of %s except of existing rings: it is %s",
				 streams[i].name, host_uring_why(plan->host));
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *c = &plan->choices[i];

		if (!c->wanted || c->chosen || capability_is_internal(c->capability))
			continue;
		log_detail("off: %s %s%s%s: %s", capability_stream(c->capability),
			   c->capability->operation, c->capability->path[0] ? " " : "",
			   c->capability->path, c->why);
	}
}
