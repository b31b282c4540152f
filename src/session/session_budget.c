/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the interval between two looks at what the recording costs. The rule is in trace/budget.c. */
#include "session/session_budget.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "row/format.h"
#include "trace/trace_account.h"
#include "trace/trace_config.h"
#include "trace/trace_set.h"

#define LOOK_EVERY_NS (NS_PER_S / 2)
#define TELL_EVERY_NS NS_PER_S
/* Of fewer rows, their mean size is no measure: most are of fs. */
#define ROWS_TO_LEARN 1000
#define ROW_BYTES 155.0

static bool is_asked(const struct recording_options *options)
{
	return options->budget.cpu_percent > 0 || options->budget.bytes;
}

int session_budget_check(const struct recording_options *options, const struct plan *plan)
{
	if (!is_asked(options) || plan_has_stream(plan, STREAM_layers))
		return 0;
	log_error(
		"--budget: the programs cannot count here (stream layers), and without exact totals nothing may be "
		"left out: iotracer doctor says why; in tier c, install the kernel's headers, or choose less (-e, -p, --operation)");
	return -ENOTSUP;
}

static uint64_t process_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Snapshots have limits of their own, and are not made smaller by fewer rows. */
static uint64_t own_ns(const struct budgeted *of)
{
	return process_ns() - snap_cpu_ns(of->snap);
}

/* Rows are written when their order is known, which is later than they are made. */
static double bytes_of_a_row(const struct budgeted *of)
{
	const struct write_totals *totals = of->writer ? write_totals(of->writer) : NULL;
	uint64_t bytes = 0, rows = 0;

	for (int i = 0; totals && i < N_EVENT_STREAMS; i++) {
		bytes += totals->bytes[i];
		rows += totals->rows[i];
	}
	return rows >= ROWS_TO_LEARN ? (double)bytes / (double)rows : ROW_BYTES;
}

void session_budget_begin(struct session_budget *b, const struct recording_options *options,
			  const struct budgeted *of)
{
	struct budget_limits limits = {
		.cpus = options->budget.cpu_percent / 100 * (double)sysconf(_SC_NPROCESSORS_ONLN),
		.bytes = (double)options->budget.bytes,
	};
	bool detail = false;

	b->on = is_asked(options);
	if (!b->on)
		return;
	b->options = options->budget;
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		b->streams[i] = options->streams[i] &&
				plan_has_stream(of->trace->plan, (enum stream_id)i);
		b->factors[i] = 1;
		detail = detail ||
			 (b->streams[i] && budget_group_of((enum stream_id)i) == BUDGET_DETAIL);
	}
	budget_begin(&b->budget, &limits, detail);
	trace_cost_begin(&b->cost, of->trace, events_ledger(of->events), own_ns(of), mono_ns());
}

/* Rows of a request of io_uring are several, and an end of write-back has no beginning that was left out. */
static bool is_comparable(int stream)
{
	return stream != STREAM_iouring && stream != STREAM_cache;
}

/*
 * As readers do, which let a row stand for as many as the factor says where this is less than half of what was
 * there. A time that ends with a change may have had the factor of after it, too.
 */
static uint64_t unlike(const struct events_thin *thin, uint32_t factor)
{
	uint64_t all = thin->left_out + (thin->kept == FORMAT_UNKNOWN ? 0 : thin->kept);
	uint64_t larger = factor > thin->factor ? factor : thin->factor;

	if (thin->kept == FORMAT_UNKNOWN || all <= 2 * larger * thin->kept)
		return 0;
	return all - factor * thin->kept;
}

/* factors: from now on */
static void tell(struct session_budget *b, const struct budgeted *of,
		 const uint32_t factors[N_EVENT_STREAMS])
{
	uint64_t left_out[IOT_N_SEQ], now = mono_ns();

	trace_left_out(of->trace, left_out);
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		uint64_t kept;
		struct events_thin thin;

		if (!b->streams[i] || budget_group_of((enum stream_id)i) == N_BUDGET_GROUPS)
			continue;
		kept = trace_sent(of->trace, (unsigned)i);
		thin = (struct events_thin){
			.left_out = left_out[i] - b->left_out[i],
			.kept = is_comparable(i) ? kept - b->kept[i] : FORMAT_UNKNOWN,
			.factor = factors[i],
		};
		if (!thin.left_out && factors[i] == b->factors[i])
			continue; /* the next row is of this time, too */
		events_thinned(of->events, (enum stream_id)i, &thin, now);
		b->unlike[i] += unlike(&thin, b->factors[i]);
		b->left_out[i] = left_out[i];
		b->kept[i] = kept;
		b->factors[i] = factors[i];
		if (factors[i] > b->largest[i])
			b->largest[i] = factors[i];
	}
	b->told_ns = now;
}

static void set_level(struct session_budget *b, const struct budgeted *of)
{
	uint32_t factors[N_EVENT_STREAMS];

	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		enum budget_group group = budget_group_of((enum stream_id)i);

		factors[i] = group == N_BUDGET_GROUPS ?
				     1 :
				     budget_factor(&b->budget, b->budget.level, group);
	}
	/* from when until when one factor was in force: a change takes as long as this thread may have to wait */
	tell(b, of, b->factors);
	trace_thin(of->trace, factors);
	tell(b, of, factors);
	b->n_changes++;
	if (b->budget.level > b->highest)
		b->highest = b->budget.level;
	log_detail("budget: level %u of %u: one of %u files is kept", b->budget.level,
		   budget_last(&b->budget), factors[STREAM_fs]);
}

static void tell_too_small(struct session_budget *b, const struct budget_cost *cost)
{
	if (!b->budget.too_small || b->warned)
		return;
	b->warned = true;
	log_warn(
		"the budget cannot be kept: without any row of files and requests, counting takes %.1f%% of the CPUs",
		100 * (cost->own + cost->programs) / (double)sysconf(_SC_NPROCESSORS_ONLN));
}

void session_budget_turn(struct session_budget *b, const struct budgeted *of, uint64_t now)
{
	struct budget_cost cost;
	unsigned before;

	if (!b->on)
		return;
	trace_cost_turn(&b->cost, of->trace, now);
	if (now - b->cost.taken_ns < LOOK_EVERY_NS)
		return;
	before = b->budget.level;
	cost = trace_cost_take(&b->cost, of->trace, events_ledger(of->events), own_ns(of),
			       bytes_of_a_row(of), now);
	if (cost.own + cost.programs > b->most)
		b->most = cost.own + cost.programs;
	if (budget_next(&b->budget, &cost) != before) {
		log_detail(
			"budget: %.3f CPUs of its own and %.3f in programs, %.0f rows and %.0f left out per second",
			cost.own, cost.programs, cost.rows[BUDGET_DETAIL] + cost.rows[BUDGET_ROWS],
			cost.left_out[BUDGET_DETAIL] + cost.left_out[BUDGET_ROWS]);
		set_level(b, of);
	} else if (now - b->told_ns >= TELL_EVERY_NS)
		tell(b, of, b->factors);
	tell_too_small(b, &cost);
}

void session_budget_end(struct session_budget *b, const struct budgeted *of)
{
	if (!b->on)
		return;
	trace_cost_end(&b->cost);
	tell(b, of, b->factors);
}

static json_t *left_out_json(const struct session_budget *b)
{
	json_t *list = json_array();

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (b->left_out[i])
			json_array_append_new(list,
					      json_pack("{s:s, s:I, s:I, s:I}", "stream",
							streams[i].name, "count",
							(json_int_t)b->left_out[i],
							"largest_factor", (json_int_t)b->largest[i],
							"not_represented",
							(json_int_t)b->unlike[i]));
	return list;
}

json_t *session_budget_json(const struct session_budget *b)
{
	return json_pack("{s:f, s:I, s:s, s:i, s:i, s:i, s:b, s:f, s:o}", "cpu_percent",
			 b->options.cpu_percent, "bytes_per_s", (json_int_t)b->options.bytes,
			 "programs", b->cost.measured ? "measured" : "estimated", "changes",
			 (int)b->n_changes, "highest_level", (int)b->highest, "levels",
			 (int)budget_last(&b->budget), "exceeded", b->warned, "most_cpus", b->most,
			 "left_out", left_out_json(b));
}

void session_budget_print(const struct session_budget *b)
{
	uint64_t n = 0;

	if (!b->on)
		return;
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		n += b->left_out[i];
	if (n)
		log_note(
			"budget: %llu events have no row (level %u of %u); stream layers counts all reads, writes, syncs and requests",
			(unsigned long long)n, b->highest, budget_last(&b->budget));
	else
		log_note("budget: every event has its row");
}
