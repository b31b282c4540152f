/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the loop of plans until one fires. Why a candidate is silent, it does not know. */
#include "session/live.h"

#include <errno.h>

#include "base/log.h"
#include "base/phase.h"
#include "image/compile.h"
#include "session/selftest.h"
#include "session/setup.h"
#include "trace/trace.h"

static unsigned requested(const struct recording_options *options)
{
	return (options->drops ? OPTION_DROPS : 0) | (options->given ? OPTION_GIVEN : 0);
}

static int make_plan(const struct live *live, const struct plan_request *request)
{
	const struct recording_options *o = live->options;
	const struct setup_image image = {
		.name = o->trace.image,
		.plan = live->trace->image.plan,
		.named = o->streams_named,
	};
	struct host_options facts = o->host;

	if (image.name)
		return setup_image_plan(live->host, live->plan, &o->host, o->streams, request,
					&image) ?
			       -ENOENT :
			       0;
	facts.layout_cache = o->trace.no_cache ? NULL : compile_cache_dir();
	return setup_plan(live->host, live->plan, &facts, o->streams, request) ? -ENOENT : 0;
}

int live_plan(const struct live *live)
{
	return make_plan(live, &(struct plan_request){ .options = requested(live->options) });
}

/* Of a capability that every candidate is silent for, and of an image, which has no other. */
static void report_silent(const struct live *live, const struct selftest *test,
			  const struct plan_request *request)
{
	for (unsigned i = 0; i < live->plan->n_choices; i++)
		live->trace->tested[i] = test->verdict[i];
	selftest_report(test, live->plan);
	for (unsigned i = 0; i < live->plan->n_choices; i++)
		if (plan_lost_to_silence(live->plan, i, request))
			log_warn(
				"rows of %s will be missing: no probe for %s%s%s passed the self-test",
				capability_stream(live->plan->choices[i].capability),
				live->plan->choices[i].capability->operation,
				live->plan->choices[i].capability->path[0] ? " " : "",
				live->plan->choices[i].capability->path);
}

/* Compiles, loads and attaches; what does not attach gives way to the next candidate. */
static int attach_plan(const struct live *live, struct plan_request *request)
{
	int err;

	for (;;) {
		err = trace_open(live->trace, live->plan, &live->options->trace);
		if (!err)
			err = trace_attach(live->trace);
		if (err || live->options->trace.image || !trace_pass_over(live->trace, request))
			break;
		trace_close(live->trace);
		err = make_plan(live, request);
		if (err)
			return err;
	}
	return err ? err : trace_report_attached(live->trace);
}

/* And so does what attaches and stays silent. */
int live_attach(const struct live *live)
{
	struct plan_request request = { .options = requested(live->options) };
	struct selftest test;
	bool silent = false, fires = false;
	int err;

	for (;;) {
		err = attach_plan(live, &request);
		if (err || live->options->no_self_test)
			return err;
		phase_begin("self-test");
		if (selftest_run(&test, live->trace, live->plan, NULL))
			return 0; /* said there */
		silent = silent || test.n_silent;
		fires = fires || test.n_fires;
		if (live->options->trace.image || !test.n_silent ||
		    !selftest_pass_over(&test, live->plan, &request))
			break;
		trace_close(live->trace);
		err = make_plan(live, &request);
		if (err)
			return err;
	}
	if (silent && !fires)
		return selftest_report_blind();
	report_silent(live, &test, &request);
	return 0;
}
