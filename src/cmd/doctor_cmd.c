/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer doctor`: its command line. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <stdlib.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "plan/doctor.h"
#include "session/selftest.h"
#include "session/setup.h"
#include "trace/trace.h"

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
	static struct trace_options options;

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
	if (o.self_test) {
		options.test_start = test_start;
		options.test_verdict = test_verdict;
		options.test_end = test_end;
	}
	return doctor_run(&options);
}
