/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the rule by which detail is given up and comes back. */
#include "trace/budget.h"

/* Until it is known, and what of it lies in programs, where it is not measured apart. */
#define ROW_COST 2e-6
#define ROW_COST_IN_KERNEL 0.2e-6
#define ROW_COST_MAX 20e-6
#define ROW_BYTES 150.0

/* Below this many rows in an interval, what one costs is not told. */
#define ROWS_TO_LEARN 2000

/* What is aimed at, of the budget: measurements differ, and files more. */
#define TARGET 0.8
/* The same of more than one level at once */
#define TARGET_FAR 0.4
/* Above this, an interval needs no second one. */
#define FAR_OVER 1.25
/* Intervals: what a ring holds is still read after a change */
#define SETTLING 1
#define HOLD 4
#define HOLD_MAX 240
/* A change to more detail that is taken back within so many intervals was one too many. */
#define TOO_SOON 20
/* Levels at once */
#define STEEPEST 4

enum budget_group budget_group_of(enum stream_id stream)
{
	switch (stream) {
	case STREAM_cache:
	case STREAM_pagefault:
	case STREAM_sched:
		return BUDGET_DETAIL;
	case STREAM_fs:
	case STREAM_ds:
	case STREAM_iouring:
		return BUDGET_ROWS;
	default:
		return N_BUDGET_GROUPS;
	}
}

void budget_begin(struct budget *b, const struct budget_limits *limits, bool detail)
{
	*b = (struct budget){
		.limits = *limits,
		.first = detail ? BUDGET_DETAIL_STEPS : 0,
		.row_cost = ROW_COST,
		.row_bytes = ROW_BYTES,
		.hold = HOLD,
		.since = TOO_SOON,
	};
}

unsigned budget_last(const struct budget *b)
{
	return b->first + BUDGET_STEPS + 1;
}

uint32_t budget_factor(const struct budget *b, unsigned level, enum budget_group group)
{
	unsigned of_detail = level < b->first ? level : b->first;
	unsigned of_rows = level - of_detail;

	if (level >= budget_last(b))
		return 0;
	return 1u << (of_rows + (group == BUDGET_DETAIL ? of_detail * BUDGET_DETAIL_STEP : 0));
}

/*
 * Rows per second to expect at a level: of files as they are on average, and, where those that are
 * kept now have more, as these are.
 */
static double rows_at(const struct budget *b, const struct budget_cost *c, unsigned level)
{
	double sum = 0;

	for (int g = 0; g < N_BUDGET_GROUPS; g++) {
		double now = budget_factor(b, b->level, (enum budget_group)g);
		double then = budget_factor(b, level, (enum budget_group)g);
		double all = c->rows[g] + c->left_out[g], rows = then > 0 ? all / then : 0;

		if (then > 0 && c->rows[g] * now / then > rows)
			rows = c->rows[g] * now / then;
		sum += rows < all ? rows : all;
	}
	return sum;
}

static double all_rows(const struct budget_cost *c)
{
	double sum = 0;

	for (int g = 0; g < N_BUDGET_GROUPS; g++)
		sum += c->rows[g];
	return sum;
}

static double all_events(const struct budget_cost *c)
{
	double sum = all_rows(c);

	for (int g = 0; g < N_BUDGET_GROUPS; g++)
		sum += c->left_out[g];
	return sum;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static void learn(struct budget *b, const struct budget_cost *c)
{
	double rows = all_rows(c), cost;

	if (rows * c->seconds < ROWS_TO_LEARN)
		return;
	cost = c->own / rows + ROW_COST_IN_KERNEL;
	b->row_cost += 0.3 * ((cost < ROW_COST_MAX ? cost : ROW_COST_MAX) - b->row_cost);
	b->row_bytes += 0.3 * (c->bytes / rows - b->row_bytes);
}

/* Whether the limits, times share, would be kept at a level. */
static bool fits(const struct budget *b, const struct budget_cost *c, unsigned level, double share)
{
	double more = rows_at(b, c, level) - all_rows(c);
	double cpus = c->own + c->programs + more * b->row_cost;
	double bytes = c->bytes + more * b->row_bytes;

	return (b->limits.cpus <= 0 || cpus <= share * b->limits.cpus) &&
	       (b->limits.bytes <= 0 || bytes <= share * b->limits.bytes);
}

/* By how much the limits are exceeded: 1 is as much as they allow. */
static double use(const struct budget *b, const struct budget_cost *c)
{
	double cpus = b->limits.cpus > 0 ? (c->own + c->programs) / b->limits.cpus : 0;
	double bytes = b->limits.bytes > 0 ? c->bytes / b->limits.bytes : 0;

	return larger(cpus, bytes);
}

static void change(struct budget *b, unsigned level)
{
	b->level = level;
	b->settling = SETTLING;
	b->over = b->fits = 0;
}

static void less_detail(struct budget *b, const struct budget_cost *c)
{
	unsigned last = budget_last(b), most = b->level + STEEPEST, level = b->level + 1;

	b->fits = 0;
	b->too_small = b->level == last;
	if (b->too_small || (++b->over < 2 && use(b, c) < FAR_OVER))
		return;
	while (level < last && level < most && !fits(b, c, level, TARGET))
		level++;
	/* it was tried, and is not tried again so soon, as long as there is as much to do */
	if (b->since < TOO_SOON) {
		b->hold = b->hold * 2 < HOLD_MAX ? b->hold * 2 : HOLD_MAX;
		b->tried = all_events(c);
	}
	change(b, level);
}

static void more_detail(struct budget *b, const struct budget_cost *c)
{
	unsigned level = b->level - 1;
	double events = all_events(c);

	b->over = 0;
	b->too_small = false;
	if (b->tried > 0 && events < b->tried / 2) {
		b->tried = 0;
		b->hold = HOLD;
	}
	if (!b->level || !fits(b, c, level, TARGET)) {
		b->fits = 0;
		return;
	}
	if (++b->fits < b->hold)
		return;
	while (level && fits(b, c, level - 1, TARGET_FAR))
		level--;
	/* all of it is no guess: what files have is no matter */
	change(b, fits(b, c, 0, TARGET) ? 0 : level);
	b->since = 0;
}

unsigned budget_next(struct budget *b, const struct budget_cost *c)
{
	b->since += b->since < UINT32_MAX;
	if (b->settling) {
		b->settling--;
		return b->level;
	}
	learn(b, c);
	if (use(b, c) > 1)
		less_detail(b, c);
	else
		more_detail(b, c);
	return b->level;
}
