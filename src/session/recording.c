/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages of a recording in order, and the loop that drains until something
 * ends it.
 */
#include "session/recording.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/phase.h"
#include "base/status.h"
#include "compat/host/host.h"
#include "compat/sys/sys.h"
#include "events/events.h"
#include "resolve/resolve.h"
#include "resolve/targets.h"
#include "row/anon.h"
#include "session/announce.h"
#include "session/command.h"
#include "session/live.h"
#include "session/manifest_members.h"
#include "session/session_budget.h"
#include "session/session_counts.h"
#include "session/session_output.h"
#include "session/service.h"
#include "session/session_snapshots.h"
#include "session/session_symbols.h"
#include "session/sessions.h"
#include "session/setup.h"
#include "session/status_line.h"
#include "session/summary.h"
#include "trace/trace.h"
#include "trace/trace_account.h"
#include "trace/trace_config.h"
#include "trace/trace_idle.h"
#include "trace/trace_stacks.h"
#include "trace/trace_sweep.h"
#include "write/clocks.h"
#include "write/write_session.h"

#define TURN_MS 100 /* a turn of the drain when nothing wakes it */
#define STACKS_TURN_MS                                                                             \
	20 /* while a process of a stack still lives, and says what is mapped where */
#define CLOCK_EVERY_NS (60 * NS_PER_S)
#define SWEEP_EVERY_NS (10 * NS_PER_S)
#define NAMES (2 * IOT_NAMES_ROUND) /* whatever the kernel refers to is among them */
#define CHILD_GRACE_NS (5 * NS_PER_S)

struct session {
	struct recording_options options;
	struct host *host;
	struct plan plan;
	struct trace trace;
	struct resolve resolve;
	struct events *events;
	struct output output;
	struct snaps snaps;
	struct child child;
	struct targets targets; /* of -p */
	struct child_signals signals_before;
	int signals;      /* signalfd; -1 when closed */
	uint64_t started; /* CLOCK_MONOTONIC ns */
	uint64_t stop_at; /* 0: no limit */
	int stopped_by;   /* signal, 0: none */
	struct clocks clocks;
	bool described;    /* the manifest has what does not change */
	unsigned n_live;   /* what had sent records when the plan in it was written */
	bool ending;       /* all that will come has come */
	uint64_t clock_ns; /* when the clocks were compared, */
	uint64_t swept_ns; /* and tables swept of tasks that are gone */
	struct status_line status;
	uint64_t devices_ns; /* when the devices in it were read */
	unsigned n_hosts;    /* how often mounts of other namespaces had changed by then */
	struct session_counts counts;
	struct session_budget budget;
	struct service service;
	struct sessions sessions; /* this one and those before it */
	bool given_up;            /* nothing can be kept any more */
	char host_name[READ_HOST_SIZE];
};

static void to_output(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	struct session *s = arg;

	output_row(&s->output, stream, row, len, key);
}

/* ---- setting up ---- */

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

static void measure_clock(struct session *s, bool always)
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

static struct budgeted budgeted(struct session *s)
{
	return (struct budgeted){ .trace = &s->trace,
				  .events = s->events,
				  .snap = s->snaps.snap,
				  .writer = s->output.writer };
}

/* The manifest keeps what it was told: only what is new or may have changed. */
static void describe(struct session *s)
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

static int set_up(struct session *s)
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
	measure_clock(s, true);
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
	of = budgeted(s);
	session_budget_begin(&s->budget, &s->options, &of);
	describe(s);
	phase_end();
	return 0;
}

/* ---- running ---- */

/* A signal to us ends the command as well; its last events are still ours. */
static void on_stop_signal(struct session *s, int sig)
{
	s->stopped_by = sig;
	if (s->child.pid && !child_ended(&s->child)) {
		kill(s->child.pid, sig);
		s->stop_at = mono_ns() + CHILD_GRACE_NS;
	} else {
		s->stop_at = mono_ns();
	}
}

/* Of a service, whose options are in a file; elsewhere it asks for new segments, or who looked on is gone. */
static bool can_reload(const struct session *s)
{
	return s->service.managed && s->options.config && !s->options.command && s->output.writer;
}

/* The other one writes the metrics from now on. */
static void reload(struct session *s)
{
	digest_hand_over(&s->output.digest, true);
	service_reload(&s->service, s->options.argv);
}

static void look_at_successor(struct session *s)
{
	if (service_kept(&s->service))
		digest_hand_over(&s->output.digest, false);
}

static void read_signals(struct session *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP && can_reload(s))
			reload(s);
		else if (info.ssi_signo == SIGHUP && s->output.writer)
			output_rotate(&s->output);
		else if (info.ssi_signo == SIGTERM &&
			 service_taken_over(&s->service, (pid_t)info.ssi_pid))
			s->stop_at = mono_ns();
		else if (info.ssi_signo != SIGCHLD) /* SIGHUP: who looked on is gone */
			on_stop_signal(s, info.ssi_signo);
	}
}

/* Once a second: everything that need not happen per turn. */
static void housekeeping(struct session *s, uint64_t now)
{
	trace_account(&s->trace, events_ledger(s->events), false);
	if (events_names_missing(s->events))
		trace_resend_names(&s->trace);
	measure_clock(s, now - s->clock_ns > CLOCK_EVERY_NS);
	if (now - s->clock_ns > CLOCK_EVERY_NS)
		s->clock_ns = now;
	if (now - s->swept_ns > SWEEP_EVERY_NS) {
		trace_sweep(&s->trace);
		s->swept_ns = now;
	}
	session_counts_tell(&s->options, &s->trace, &s->resolve);
	session_counts_look(&s->counts, &s->options, &s->trace, s->events, now);
	trace_find_members(&s->trace);
	drain_check_cpus(s->trace.drain);
	if (s->output.writer)
		status_line_show(&s->status, s->events, write_totals(s->output.writer), now);
	if (s->sessions.dir)
		sessions_keep(&s->sessions, write_totals(s->output.writer)->disk_bytes, now);
	look_at_successor(s);
	describe(s);
}

static void look_at_output(struct session *s)
{
	enum output_state state = output_tick(&s->output, events_ledger(s->events));

	if (state == OUTPUT_GOING || s->given_up)
		return;
	s->given_up = true; /* said by the writer */
	snaps_cancel(&s->snaps);
	if (state == OUTPUT_STOP)
		on_stop_signal(s, SIGINT);
}

static void drain_turn(struct session *s, bool all)
{
	const struct budgeted of = budgeted(s);
	uint64_t now = mono_ns();

	/* before what happened on a new mount is judged */
	mounts_refresh(&s->resolve.mounts);
	drain_run(s->trace.drain, all, events_record, s->events);
	if (!all) /* else losses are still to be told, which may join others of their second */
		events_flush(s->events, now - DRAIN_SLACK_NS);
	snaps_take(&s->snaps);
	look_at_output(s);
	if (all)
		return;
	output_waiting(&s->output, s->events);
	session_budget_turn(&s->budget, &of, mono_ns());
}

/* Neither the processes of -p nor children of theirs are left; looked for once a second. */
static bool all_ended(struct session *s, bool look)
{
	if (!targets_ended(&s->targets) || !look || trace_follows_any(&s->trace))
		return false;
	log_status("%s", "");
	log_note(s->options.trace.n_pids > 1 ? "the traced processes have ended" :
					       "the traced process has ended");
	return true;
}

static void run(struct session *s)
{
	uint64_t next = 0, now;
	bool tick;

	s->started = mono_ns();
	if (s->options.duration_s)
		s->stop_at = s->started + s->options.duration_s * NS_PER_S;
	child_release(&s->child);
	service_ready(&s->service);
	for (;;) {
		drain_wait(s->trace.drain, s->signals,
			   s->options.streams[STREAM_stacks] ? STACKS_TURN_MS : TURN_MS);
		read_signals(s);
		drain_turn(s, false);
		now = mono_ns();
		service_goes_on(&s->service, now);
		tick = now >= next;
		if (tick) {
			housekeeping(s, now);
			next = now + NS_PER_S;
		}
		if (s->stop_at && now >= s->stop_at)
			break;
		if (s->child.pid && child_ended(&s->child))
			break;
		if (all_ended(s, tick))
			break;
		if (s->given_up && !s->child.pid)
			break; /* nothing can be kept any more; a command may end in peace */
	}
}

/* ---- the end ---- */

static void request_unseen(void *arg, struct iot_rq *rq)
{
	struct session *s = arg;

	session_counts_unseen(&s->counts, &s->trace, rq);
	if (!(s->options.trace.count & IOT_COUNTS_NO_DS))
		events_request_unseen(s->events, rq);
}

static void finish_tracing(struct session *s)
{
	struct ledger *ledger = events_ledger(s->events);
	const struct budgeted of = budgeted(s);

	service_stopping(&s->service);
	output_stopping(&s->output);
	trace_account(&s->trace, ledger, false);
	trace_look_for_idle(&s->trace);
	trace_stop(&s->trace);
	session_budget_end(&s->budget, &of);
	drain_turn(s, true);
	trace_account(&s->trace, ledger, true);
	trace_pending_requests(&s->trace, ledger, request_unseen, s);
	trace_sweep(&s->trace);
	session_counts_end(&s->counts, &s->trace, s->events, mono_ns());
	events_flush(s->events, UINT64_MAX);
	output_account(&s->output, ledger);
	events_flush(s->events, UINT64_MAX);
	session_symbols(&s->output, s->events);
	snaps_stop(&s->snaps);
	output_end(&s->output, s->stopped_by != 0);
	measure_clock(s, true);
	s->ending = true;
	describe(s);
}

static void close_session(struct session *s)
{
	child_cancel(&s->child);
	targets_close(&s->targets);
	output_close(&s->output);
	events_close(s->events);
	resolve_close(&s->resolve);
	session_counts_close(&s->counts);
	trace_close(&s->trace);
	if (s->signals >= 0)
		close(s->signals);
	host_close(s->host);
	anon_close();
}

static int exit_status(const struct session *s, int write_error)
{
	/* that of the command, unless it hides that rows are missing */
	if (s->child.pid && s->child.ended && (child_exit_status(&s->child) || !write_error))
		return child_exit_status(&s->child);
	if (s->child.pid && s->stopped_by)
		return 128 + s->stopped_by;
	return write_error ? STATUS_FAILED : STATUS_OK;
}

static int run_session(struct session *s, const struct recording_options *options)
{
	struct write_totals totals = { 0 };
	int err;

	s->signals = -1;
	s->child.gate = -1;
	s->options = *options;
	if (setup_check_namespace())
		return STATUS_FAILED;
	recording_announce(&s->options);
	service_open(&s->service);
	if (s->options.sessions) {
		s->sessions = (struct sessions){ .dir = s->options.sessions,
						 .own = s->options.dir,
						 .max_disk = s->options.write.max_disk };
		sessions_repair(s->options.sessions, s->options.dir, !s->service.predecessor);
	}
	err = set_up(s);
	if (err) {
		output_abandon(&s->output);
		close_session(s);
		return STATUS_FAILED;
	}
	if (!options->tap)
		log_note("recording into %s%s", s->options.dir,
			 s->trace.cached ? " (cached programs)" : "");
	run(s);
	log_status("%s", "");
	finish_tracing(s);
	err = output_finish(&s->output, &totals);
	summary_print(&(struct summary){ .options = &s->options,
					 .plan = &s->plan,
					 .trace = &s->trace,
					 .events = s->events,
					 .not_kept = s->output.digest.not_kept,
					 .written = &totals });
	session_budget_print(&s->budget);
	err = exit_status(s, err);
	close_session(s);
	return err;
}

int recording_run(const struct recording_options *options)
{
	struct session *s = calloc(1, sizeof(*s));
	int status;

	if (!s) {
		log_error("no memory for a recording");
		return STATUS_FAILED;
	}
	status = run_session(s, options);
	free(s);
	return status;
}
