/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order in which the parts of a recording are opened, and what its manifest says of them meanwhile. */
#include "session/recording_setup.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "base/log.h"
#include "base/phase.h"
#include "row/anon.h"
#include "session/live.h"
#include "session/manifest_members.h"
#include "session/setup.h"
#include "trace/trace_config.h"
#include "trace/trace_account.h"
#include "trace/trace_stacks.h"
#include "write/write_session.h"

#define NAMES (2 * IOT_NAMES_ROUND) /* whatever the kernel refers to is among them */

static void to_output(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	struct session *s = arg;

	output_row(&s->output, stream, row, len, key);
}

static int open_signals(struct session *s)
{
	sigset_t set;

	child_keep_signals(&s->signals_before);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* ignored, the command's end could not be waited for */
	return s->signals < 0 ? -errno : 0;
}

static uint64_t socket_made(void *arg, uint32_t tgid, int fd)
{
	const struct session *s = arg;

	return trace_socket_made(&s->trace, tgid, fd);
}

static unsigned stack_read(void *arg, bool kernel, int32_t number, uint64_t *frames)
{
	const struct session *s = arg;

	return trace_stack_read(&s->trace, kernel, number, frames);
}

static void stack_remove(void *arg, bool kernel, int32_t number)
{
	const struct session *s = arg;

	trace_stack_remove(&s->trace, kernel, number);
}

static int open_events(struct session *s)
{
	struct events_options options = {
		.plan = &s->plan,
		.filter = filter_is_on(&s->options.trace.rows) ? &s->options.trace.rows : NULL,
		.resolve = &s->resolve,
		.names = NAMES,
		.extra_ops = s->options.extra_ops,
		.partitions = s->options.partitions,
		.together = s->options.tap || summaries_need_order(&s->options.summary),
		.n_cpus = s->trace.n_cpus,
		.row = to_output,
		.omitted = &s->options.write.omitted,
		.values = s->options.tap ? s->options.tap->values : NULL,
		.made = socket_made,
		.stacks = { stack_read, stack_remove, s },
		.arg = s,
	};

	resolve_open(&s->resolve,
		     &(struct resolve_options){ .all_fs = s->options.trace.all_fs,
						.fs_types = &s->options.trace.fs_types });
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		options.wanted[i] =
			s->options.streams[i] && filter_has_stream(&s->options.trace.rows, i) &&
			(schema_has(i, ALWAYS_RECORDED) || plan_has_stream(&s->plan, i));
	s->events = events_open(&options);
	if (!s->events) {
		log_error("no memory for the reader");
		return -ENOMEM;
	}
	events_hurry(s->events, s->output.hurry_ns);
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (options.wanted[i])
			output_stream(&s->output, i);
	return 0;
}

static int start_command(struct session *s)
{
	int err;

	if (!s->options.command)
		return 0;
	err = child_start(&s->child, s->options.command, &s->signals_before);
	if (err)
		return err;
	s->options.trace.pids[0] = s->child.pid;
	s->options.trace.n_pids = 1;
	return 0;
}

void recording_measure_clock(struct session *s, bool always)
{
	struct format_clock pair;
	bool jumped = format_clock_update(&pair);

	if (!jumped && !always)
		return;
	if (jumped)
		log_warn(
			"the wall clock was set; timestamps follow it from now on, mono_ns is not affected");
	clocks_add(&s->clocks, &pair);
}

struct budgeted recording_budgeted(struct session *s)
{
	return (struct budgeted){ .trace = &s->trace,
				  .events = s->events,
				  .snap = s->snaps.snap,
				  .writer = s->output.writer };
}

void recording_describe(struct session *s)
{
	uint64_t devices_ns = s->resolve.disks.read_ns;
	const struct host_mounts *hosts = events_host_mounts(s->events);
	unsigned n_live = events_live(s->events);
	json_t *members = s->output.writer ? json_object() : NULL;

	if (!members)
		return;
	if (!s->described) {
		facts_add_fixed(members, &s->plan, &s->options.trace);
		facts_add_command(members, s->options.command);
	}
	if (!s->described || n_live != s->n_live || s->ending)
		facts_add_plan(members, &s->plan, &s->trace, s->events);
	if (!s->described || devices_ns != s->devices_ns)
		facts_add_devices(members, &s->resolve.disks);
	if (hosts->news && (!s->described || hosts->news != s->n_hosts))
		facts_add_namespaces(members, hosts);
	snaps_add_news(&s->snaps, members);
	digest_add_news(&s->output.digest, members);
	facts_add_account(members, &s->trace, s->events, &s->clocks);
	if (s->budget.on)
		json_object_set_new(members, "budget", session_budget_json(&s->budget));
	write_manifest_members(s->output.writer, members);
	json_decref(members);
	s->described = true;
	s->n_live = n_live;
	s->devices_ns = devices_ns;
	s->n_hosts = hosts->news;
}

static void prepare_summaries(struct session *s)
{
	facts_host_name(&s->plan, s->host_name);
	s->options.summary.host = s->host_name;
	/* as amp_reading_counts_vfs() tells from the manifest */
	s->options.summary.faults = s->options.streams[STREAM_pagefault] &&
				    plan_has_stream(&s->plan, STREAM_pagefault);
	s->options.summary.vfs = plan_sees_kernel(&s->plan, CAP_FS_READ) &&
				 plan_sees_kernel(&s->plan, CAP_FS_WRITE);
}

/* They were asked for: nobody should find out afterwards that there are none. */
static int check_stacks(const struct session *s)
{
	const char *why;

	if (!s->options.trace.stacks.asked || plan_has_stream(&s->plan, STREAM_stacks))
		return 0;
	why = plan_stream_off(&s->plan, STREAM_stacks);
	log_error("--stacks: %s",
		  why ? why : "the image was built without them: iotracer build -e +stacks");
	return -EINVAL;
}

int recording_set_up(struct session *s)
{
	const struct live live = {
		.options = &s->options, .host = &s->host, .plan = &s->plan, .trace = &s->trace
	};
	struct budgeted of;
	int err = targets_open(&s->targets, s->options.trace.pids, s->options.trace.n_pids);

	if (!err)
		err = trace_read_image(&s->trace, &s->options.trace);
	if (!err)
		err = live_plan(&live);
	if (!err)
		err = check_stacks(s);
	if (err)
		return err;
	attach_clean_stale(s->host);
	err = session_budget_check(&s->options, &s->plan);
	if (!err)
		err = live_attach(&live);
	if (err)
		return err;
	phase_begin("output");
	setup_report(&s->plan, s->options.streams_named ? s->options.streams : NULL);
	host_forget_symbols(s->host);
	err = output_open(&s->output, &s->options);
	if (!err)
		err = anon_open(&s->options.anon);
	if (err)
		return err;
	err = open_signals(s);
	recording_measure_clock(s, true);
	prepare_summaries(s);
	if (!err)
		err = output_start(&s->output, &s->options);
	if (!err)
		err = open_events(s);
	if (!err)
		err = session_counts_open(&s->counts, &s->options, &s->plan);
	if (err)
		return err;
	session_counts_tell(&s->options, &s->trace, &s->resolve);
	err = start_command(s);
	if (!err)
		err = trace_switch_on(&s->trace, &s->options.trace);
	if (err)
		return err;
	for (unsigned i = 0; i < s->options.trace.n_pids; i++)
		events_seed(s->events, s->options.trace.pids[i], s->child.pid != 0);
	phase_begin("first snapshot");
	if (s->output.writer)
		snaps_start(&s->snaps, &s->options.snapshots, &s->options.write, s->output.writer,
			    s->events);
	of = recording_budgeted(s);
	session_budget_begin(&s->budget, &s->options, &of);
	recording_describe(s);
	phase_end();
	return 0;
}
