/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify ROOT HEADERS|none [--no-kprobes|--no-syscall-events] [--counts|--stream NAME] [--given]: compiles the whole plan of a host (a saved one,
 * with its headers), or that of stream layers alone, and has the running kernel verify every program, kprobe
 * programs included: they cannot be attached here, but they are checked. Then
 * that each probe has its program, and the rules of 4.14 on the instructions: of a host of another machine that
 * alone, because its registers lie where this verifier knows none. Exit 77 without privilege.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/host/host.h"
#include "compat/sys/sys.h"
#include "fixture/rules.h"
#include "image/compile.h"
#include "image/source.h"
#include "plan/plan.h"
#include "row/schema.h"
#include "trace/load.h"

static int check_rules(const struct image *image, const struct host *host)
{
	struct rules_counts counts;
	char why[2048];

	if (rules_check(image, host->fact, why, sizeof(why), &counts)) {
		printf("%s: against the rules of 4.14:\n%s", host->release, why);
		return 1;
	}
	printf("%s: %u programs, %u instructions, the longest is %s with %u, stack %u\n",
	       host->release, counts.n_progs, counts.n_insns, counts.longest, counts.max_insns,
	       counts.max_stack);
	return 0;
}

/* A probe of the plan without its program would be rows that never come. */
static int check_programs(const struct image *image, const struct plan *plan)
{
	int missing = 0;

	for (unsigned i = 0; i < plan->n_probes; i++)
		if (!image_find_prog(image, plan->probes[i].program)) {
			printf("%s: no program %s for %s\n", plan->host->release,
			       plan->probes[i].program, plan->probes[i].target);
			missing = 1;
		}
	return missing;
}

static bool given(int argc, char **argv, const char *option)
{
	for (int i = 3; i < argc; i++)
		if (!strcmp(argv[i], option))
			return true;
	return false;
}

/* Those of the request; 0: every one */
static uint32_t wanted(int argc, char **argv)
{
	if (given(argc, argv, "--counts"))
		return STREAM_BIT(STREAM_layers);
	for (int i = 3; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--stream") && schema_find(argv[i + 1]) >= 0)
			return STREAM_BIT(schema_find(argv[i + 1]));
	return 0;
}

static bool is_of_this_machine(const struct host *host)
{
	struct utsname this;

	return !host->machine[0] || (!uname(&this) && !strcmp(host->machine, this.machine));
}

int main(int argc, char **argv)
{
	bool headers = argc > 2 && strcmp(argv[2], "none");
	struct host_options options = {
		.root = argc > 1 ? argv[1] : NULL,
		.headers = headers ? argv[2] : NULL,
		.layout = headers ? LAYOUT_ANY : LAYOUT_NONE,
		.no_kprobes = given(argc, argv, "--no-kprobes"),
		.no_syscall_events = given(argc, argv, "--no-syscall-events"),
	};
	struct compile_options compile = { .cache_dir = "", .with_headers = headers };
	struct plan_request request = {
		.options = OPTION_DROPS | (given(argc, argv, "--given") ? OPTION_GIVEN : 0),
		.streams = wanted(argc, argv),
	};
	struct loaded loaded = { 0 };
	struct image image = { 0 };
	static struct plan plan;
	struct host *host;
	char *text;
	bool cached;
	int bad;

	if (geteuid())
		return 77;
	log_set_level(LOG_VERBOSE);
	memlock_raise();
	host = host_open(&options);
	if (!host || plan_make(&plan, host, &request))
		return 1;
	if (headers != plan.headers) {
		printf("%s: %s\n", host->release, host->headers_why);
		return 1;
	}
	text = source_make(&plan);
	if (!text || compile_image(&image, host, text, &compile, &cached))
		return 1;
	bad = check_programs(&image, &plan) | check_rules(&image, host);
	if (is_of_this_machine(host) &&
	    (load_image(&loaded, &image, &plan, NULL) || loaded.n_rejected))
		bad = 1;
	load_close(&loaded);
	image_free(&image);
	free(text);
	host_close(host);
	return bad;
}
