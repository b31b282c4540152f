/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the closing lines of a recording: rows, losses, and with -v what its tables held. */
#include "session/summary.h"

#include <stdio.h>

#include "analysis/common/units.h"
#include "base/log.h"
#include "events/busiest.h"
#include "events/slowest.h"
#include "resolve/names.h"
#include "row/format.h"
#include "trace/trace_account.h"
#include "trace/trace_set.h"

static bool is_sample(const struct trace *trace, int stream)
{
	return (stream == STREAM_cache && trace->cache_sample_rate > 1) ||
	       (stream == STREAM_iouring && trace->uring_sample_rate > 1);
}

/* Streams with rows, a line each; those without in one. */
static void rows_of_streams(const struct summary *s)
{
	char none[256];
	size_t n = 0;

	for (int i = 0; i < N_STREAMS; i++) {
		bool asked = i < N_EVENT_STREAMS && !schema_has(i, ALWAYS_RECORDED) &&
			     s->options->streams[i] && plan_has_stream(s->plan, i) &&
			     filter_has_stream(&s->options->trace.rows, i);

		if (s->written->rows[i])
			log_note("%-9s %llu rows%s", streams[i].name,
				 (unsigned long long)s->written->rows[i],
				 is_sample(s->trace, i) ? ", a sample" : "");
		else if (s->not_kept[i])
			log_note("%-9s %llu rows, not kept: see summary/", streams[i].name,
				 (unsigned long long)s->not_kept[i]);
		else if (asked && n < sizeof(none))
			n += snprintf(none + n, sizeof(none) - n, "%s%s", n ? ", " : "",
				      streams[i].name);
	}
	if (n)
		log_note("no rows of %s", none);
}

/* What the ledger has, by stream and reason. */
static void lost_events(const struct summary *s)
{
	const struct events_totals *totals = events_totals(s->events);
	struct ledger *ledger = events_ledger(s->events);

	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		for (int reason = 0; reason < N_LOST_REASONS; reason++)
			if (ledger_lost(ledger, class, reason) &&
			    !ledger_is_choice((enum lost_reason)reason))
				log_note("lost  %llu of %s: %s",
					 (unsigned long long)ledger_lost(ledger, class, reason),
					 ledger_class_name(class), ledger_reason_name(reason));
	if (ledger_lost(ledger, IOT_SEQ_pagefault, LOST_UNRESOLVED))
		log_note(
			"      of %llu page faults, most of them of anonymous memory, that is %.1f%%",
			(unsigned long long)totals->faults,
			100.0 * ledger_lost(ledger, IOT_SEQ_pagefault, LOST_UNRESOLVED) /
				totals->faults);
}

static void late_and_unwritable(const struct summary *s)
{
	const struct events_totals *totals = events_totals(s->events);
	uint64_t told;

	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		/* of operations that took longer than rows wait: nothing is missing */
		if (totals->late[i])
			log_detail("late  %llu rows of %s written out of time order",
				   (unsigned long long)totals->late[i], streams[i].name);
		/* the ledger has what waited for the disk, but of those that it does not count */
		told = schema_has(i, ALWAYS_RECORDED) ?
			       0 :
			       s->written->no_room[i] + s->written->disk_error[i];
		if (s->written->unwritable[i] > told)
			log_note("lost  %llu of %s: not writable",
				 (unsigned long long)(s->written->unwritable[i] - told),
				 streams[i].name);
	}
}

static void requests_and_skips(const struct summary *s)
{
	if (s->trace->pending)
		log_note("ds    %llu requests still in flight",
			 (unsigned long long)s->trace->pending);
	if (s->trace->skipped_any + s->trace->unprobed_any)
		log_note(
			"the kernel skipped %llu programs, of traced or other processes: rows may be missing",
			(unsigned long long)(s->trace->skipped_any + s->trace->unprobed_any));
}

static void details(const struct summary *s)
{
	const struct events_totals *totals = events_totals(s->events);
	uint64_t pending[IOT_N_KINDS], calls = 0, of_sockets = 0;

	if (log_get_level() < LOG_VERBOSE)
		return; /* one look at each of 65,536 places */
	if (filter_is_on(&s->options->trace.rows))
		log_detail("filters: %llu rows dropped by the tracer, others in the kernel",
			   (unsigned long long)totals->filtered);
	log_detail(
		"out of scope: %llu operations on sockets, pipes, devices or pseudo file systems",
		(unsigned long long)totals->out_of_scope);
	log_detail("names: %llu, evicted %llu, sent again %llu times",
		   (unsigned long long)events_names(s->events)->added,
		   (unsigned long long)events_names(s->events)->evicted,
		   (unsigned long long)s->trace->names_sent_again);
	log_detail("rings: %llu records, %llu wake-ups, kernel says %llu lost, %llu bad",
		   (unsigned long long)drain_totals(s->trace->drain)->records,
		   (unsigned long long)drain_totals(s->trace->drain)->wakeups,
		   (unsigned long long)drain_totals(s->trace->drain)->kernel_lost,
		   (unsigned long long)drain_totals(s->trace->drain)->bad);
	trace_count_pending(s->trace, pending);
	for (int kind = 0; kind < IOT_N_KINDS; kind++)
		*(kind == IOT_KIND_SOCK || kind == IOT_KIND_NET ? &of_sockets :
								  &calls) += pending[kind];
	log_detail(
		"left in tables: %llu calls, %llu asynchronous, %llu requests, %llu processes, %llu of sockets; "
		"%llu of exited tasks were removed",
		(unsigned long long)calls, (unsigned long long)trace_entries(s->trace, "iot_async"),
		(unsigned long long)trace_entries(s->trace, "iot_rqs"),
		(unsigned long long)trace_entries(s->trace, "iot_tasks"),
		(unsigned long long)(of_sockets + trace_entries(s->trace, "iot_connecting")),
		(unsigned long long)s->trace->swept);
}

/* Those that most bytes were moved through. */
static void busiest_files(const struct summary *s)
{
	struct busy_file files[3];
	unsigned n = busiest_first(events_busiest(s->events), files, 3);
	char read[UNITS_SIZE], written[UNITS_SIZE];

	for (unsigned i = 0; i < n; i++)
		log_note("%s%s read, %s written%s: %.*s", i ? "               " : "busiest files: ",
			 units_bytes(read, files[i].read), units_bytes(written, files[i].written),
			 files[i].more ? " at least" : "", (int)files[i].path->csv_len,
			 files[i].path->csv);
}

static void slowest_operation(const struct summary *s)
{
	enum stream_id stream;
	const struct slowest *slow = events_slowest(s->events, &stream);
	char latency[UNITS_SIZE], when[64];

	if (!slow)
		return;
	*put_time(when, slow->mono_ns) = '\0';
	log_note("slowest operation: %s: %s of %s by %.16s (%u) at %.12s%s%.*s",
		 units_ns(latency, slow->latency_ns), slow->operation, streams[stream].name,
		 slow->comm, slow->pid, when + 11, slow->path_len ? ": " : "", (int)slow->path_len,
		 slow->path);
}

static uint64_t lost_altogether(const struct summary *s)
{
	uint64_t lost = 0;

	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		for (int reason = 0; reason < N_LOST_REASONS; reason++)
			lost += ledger_is_choice((enum lost_reason)reason) ?
					0 :
					ledger_lost(events_ledger(s->events), class, reason);
	return lost;
}

/* What was asked for, and has no probe here. */
static unsigned without_probe(const struct plan *plan)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan->n_choices; i++)
		n += plan->choices[i].wanted && !plan->choices[i].chosen &&
		     !plan->choices[i].absent &&
		     !capability_is_internal(plan->choices[i].capability);
	return n;
}

/* The same as a report begins with, and how to have the rest of it. */
static void answer(const struct summary *s)
{
	uint64_t lost = lost_altogether(s);
	unsigned unseen = without_probe(s->plan);

	busiest_files(s);
	slowest_operation(s);
	if (lost && unseen)
		log_note(
			"missing: %llu events lost; %u operations without a probe: iotracer doctor",
			(unsigned long long)lost, unseen);
	else if (lost)
		log_note("missing: %llu events lost", (unsigned long long)lost);
	else if (unseen)
		log_note("missing: %u operations without a probe: iotracer doctor", unseen);
	else
		log_note("missing: none known");
	if (s->options->no_rows)
		log_note("more: %s/summary", s->options->dir);
	else
		log_note("more: iotracer report %s; iotracer files %s", s->options->dir,
			 s->options->dir);
}

void summary_print(const struct summary *s)
{
	if (!s->options->tap)
		rows_of_streams(s);
	lost_events(s);
	late_and_unwritable(s);
	requests_and_skips(s);
	details(s);
	if (s->options->tap)
		return;
	log_note("%llu segments, %.1f MB in %s", (unsigned long long)s->written->segments,
		 s->written->disk_bytes / 1e6, s->options->dir);
	answer(s);
}
