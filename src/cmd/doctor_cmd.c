/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer doctor`: its command line, and the self-test for it. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "cmd/options.h"
#include "image/compile.h"
#include "plan/doctor.h"
#include "session/selftest.h"
#include "session/setup.h"
#include "trace/trace.h"

#define TO(kind, member) OPTION_TO(kind, struct doctor_command, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "json", .section = OPTIONS_MAIN, TO(flag, json), .help = "JSON instead of text" },
	{ .name = "root", .argument = "DIR", .section = OPTIONS_MAIN, TO(text, host.root),
	  .help = "look at a saved host",
	  .more = "A directory laid out like /, or a file of `--collect`." },
	{ .name = "self-test", .section = OPTIONS_MAIN, TO(flag, self_test),
	  .help = "perform each operation and show which probes fire",
	  .more = "On a scratch file in $TMPDIR or /var/tmp." },
	{ .name = "collect", .argument = "FILE", .section = OPTIONS_MAIN, TO(text, collect),
	  .help = "save this host's facts in one file",
	  .more = "For `--root` and `iotracer build`. doctor then does nothing else." },
	OPTIONS_HOST_ROWS(struct doctor_command, ),
	{ .name = "verbose", .letter = 'v', .section = OPTIONS_MESSAGES, .parse = option_verbose,
	  .help = "include internal probes" },
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_doctor = {
	.name = "doctor",
	.summary = "shows what can be traced on this host, through which probe, and why not",
	.usage = "[OPTION]...",
	.example = "iotracer doctor --self-test",
	.next = "iotracer record -- COMMAND, or record -d 60 for the whole machine",
	.options = rows,
	.run = doctor_command,
};

int options_doctor(struct doctor_command *o, int argc, char **argv)
{
	int err;

	memset(o, 0, sizeof(*o));
	err = options_parse(&command_doctor, argc, argv, o);
	if (err)
		return err;
	if (optind < argc) {
		log_error("unexpected argument '%s'; see `iotracer doctor --help`", argv[optind]);
		return OPTIONS_WRONG;
	}
	if (o->self_test && o->host.root) {
		log_error("--self-test runs on this host only, it cannot be combined with --root");
		return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

struct test {
	struct trace trace;
	struct selftest result;
	const struct plan *plan;
	bool made;
};

/* A real file, so that a request reaches the disk: /var/tmp is on one where /tmp often is not. */
static const char *scratch_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] ? dir : "/var/tmp";
}

static void *test_start(struct plan *plan)
{
	struct test *test = calloc(1, sizeof(*test));
	struct trace_options options = { 0 };

	if (!test)
		return NULL;
	test->plan = plan;
	test->made = !setup_check_namespace() && !trace_open(&test->trace, plan, &options) &&
		     !trace_attach(&test->trace) && !trace_report_attached(&test->trace) &&
		     !selftest_run(&test->result, &test->trace, plan, scratch_dir());
	return test;
}

static const char *test_verdict(void *arg, const struct plan_choice *choice)
{
	struct test *test = arg;
	size_t i = choice - test->plan->choices;

	if (!test->made)
		return "not tried";
	return selftest_word(test->result.verdict[i]);
}

static void test_end(void *arg)
{
	struct test *test = arg;

	trace_close(&test->trace);
	free(test);
}

int doctor_command(int argc, char **argv)
{
	struct doctor_command o;
	int err = options_doctor(&o, argc, argv);
	struct doctor_options options = {
		.host = o.host,
		.collect = o.collect,
		.json = o.json,
	};

	if (err)
		return err - 1;
	options.host.layout_cache = compile_cache_dir();
	options.host.is_collected = o.collect != NULL;
	if (o.self_test) {
		options.test_start = test_start;
		options.test_verdict = test_verdict;
		options.test_end = test_end;
	}
	return doctor_run(&options);
}
