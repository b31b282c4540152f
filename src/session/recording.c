/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages of a recording in order, and the loop that drains until something
 * ends it.
 */
#include "session/recording.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "row/anon.h"
#include "session/announce.h"
#include "session/recording_setup.h"
#include "session/session_symbols.h"
#include "session/setup.h"
#include "session/summary.h"
#include "trace/trace_account.h"
#include "trace/trace_idle.h"
#include "trace/trace_config.h"
#include "trace/trace_forks.h"
#include "trace/trace_sweep.h"
#include "write/write_session.h"

#define TURN_MS 100 /* a turn of the drain when nothing wakes it */
#define STACKS_TURN_MS                                                                             \
	20 /* while a process of a stack still lives, and says what is mapped where */
#define CLOCK_EVERY_NS (60 * NS_PER_S)
#define SWEEP_EVERY_NS (10 * NS_PER_S)
#define CHILD_GRACE_NS (5 * NS_PER_S)

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
	recording_measure_clock(s, now - s->clock_ns > CLOCK_EVERY_NS);
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
	recording_describe(s);
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
	const struct budgeted of = recording_budgeted(s);
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
		trace_find_forks(&s->trace);
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
	const struct budgeted of = recording_budgeted(s);

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
	recording_measure_clock(s, true);
	s->ending = true;
	recording_describe(s);
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
	err = recording_set_up(s);
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
	sessions_keep(&s->sessions, totals.disk_bytes, mono_ns());
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
