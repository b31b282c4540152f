/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "setup.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "log.h"

#define TRACEFS "/sys/kernel/tracing"

/* Nobody mounts tracefs on minimal systems; root may, where the kernel made the folder. */
static void mount_tracefs(void)
{
	if (access(TRACEFS "/events", F_OK) == 0 || access("/sys/kernel/debug/tracing/events", F_OK) == 0)
		return;
	if (geteuid() == 0 && mount("nodev", TRACEFS, "tracefs", 0, NULL) == 0)
		log_detail("mounted tracefs at " TRACEFS);
}

int setup_plan(struct host **host, struct plan *plan, const struct host_options *options,
	       const bool chosen[N_STREAMS], const struct plan_request *silent)
{
	const char *names[N_STREAMS + 1];
	struct plan_request request = { .streams = names };
	int n = 0;

	if (silent)
		request = *silent;
	request.streams = names;
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (chosen[i])
			names[n++] = streams[i].name;
	names[n] = NULL;
	if (!*host) {
		if (!options->root || !strcmp(options->root, "/"))
			mount_tracefs();
		*host = host_open(options);
	}
	if (!*host)
		return 1;
	if ((*host)->bpf_why[0]) {
		log_error("%s", (*host)->bpf_why);
		return 1;
	}
	if (plan_make(plan, *host, &request)) {
		log_error("nothing can be traced here: %s; `iotracer doctor` tells more",
			  (*host)->tracefs_why[0] ? (*host)->tracefs_why : "no probe fits this kernel");
		return 1;
	}
	return 0;
}

void setup_report(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *c = &plan->choices[i];

		if (!c->wanted || c->chosen || c->capability->stream[0] == '-')
			continue;
		log_detail("off: %s %s%s%s: %s", c->capability->stream, c->capability->operation,
			   c->capability->path[0] ? " " : "", c->capability->path, c->why);
	}
}
