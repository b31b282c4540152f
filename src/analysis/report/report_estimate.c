/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the blocks of time that a trace is cut into, which are taken as independent of each other. */
#include "analysis/report/report_estimate.h"

#include "base/clock.h"
#include "base/square_root.h"

enum { MAX_BLOCKS = 32, MIN_BLOCKS = 8 };

/* How many standard deviations are 95 % of Student's distribution, to a hundredth. */
static double student(unsigned n)
{
	return 1.96 + 2.8 / (n - 1);
}

static unsigned n_blocks(const struct report *r)
{
	return r->tally.bins.n < MAX_BLOCKS ? r->tally.bins.n : MAX_BLOCKS;
}

/* The first span of a block; of the one behind the last, too. */
static unsigned start_of(const struct report *r, unsigned block)
{
	return block * r->tally.bins.n / n_blocks(r);
}

/* ---- rates ---- */

static uint64_t sum_of(const struct report *r, enum stream_id stream, enum report_series which,
		       unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += r->tally.streams[stream].over[i][which];
	return sum;
}

/* The part of a block that the trace reaches over. */
static uint64_t length_of(const struct report *r, unsigned block)
{
	uint64_t from = time_bins_start(&r->tally.bins, start_of(r, block));
	uint64_t to = time_bins_start(&r->tally.bins, start_of(r, block + 1));

	from = from < r->first_ns ? r->first_ns : from;
	to = to > r->last_ns ? r->last_ns : to;
	return to > from ? to - from : 0;
}

struct estimate report_rate(const struct report *r, enum stream_id stream, enum report_series which)
{
	uint64_t span = r->last_ns > r->first_ns ? r->last_ns - r->first_ns : 1;
	struct estimate e = { .known = r->rows > 0 };
	unsigned n = 0;
	double squares = 0, half;

	if (!e.known || !r->tally.streams[stream].over) {
		e.bounded = e.known;
		return e;
	}
	e.value = (double)sum_of(r, stream, which, 0, r->tally.bins.n) / (double)span * NS_PER_S;
	for (unsigned i = 0; i < n_blocks(r); i++) {
		uint64_t ns = length_of(r, i);
		double rate;

		/* of an end that is cut off nothing can be told */
		if (ns * 2 * n_blocks(r) < span)
			continue;
		rate = (double)sum_of(r, stream, which, start_of(r, i), start_of(r, i + 1)) /
		       (double)ns * NS_PER_S;
		squares += (rate - e.value) * (rate - e.value);
		n++;
	}
	e.bounded = n >= MIN_BLOCKS;
	if (!e.bounded)
		return e;
	half = student(n) * square_root(squares / (n - 1) / n);
	e.low = e.value > half ? e.value - half : 0;
	e.high = e.value + half;
	return e;
}

/* ---- percentiles ---- */

static unsigned row_of(uint64_t ns)
{
	unsigned power = ns ? 64u - (unsigned)__builtin_clzll(ns) : 0;
	unsigned row = power > REPORT_HEAT_FIRST ? power - REPORT_HEAT_FIRST : 0;

	return row < REPORT_HEAT ? row : REPORT_HEAT - 1;
}

/* The spans of the heat map from the first to the last with something in it, cut into blocks. */
struct blocks {
	const uint32_t *heat;
	unsigned from, n_spans, n;
};

static struct blocks blocks_of(const struct report *r, const struct report_item *item)
{
	struct blocks b = { .heat = item->heat };
	unsigned to = 0;

	for (unsigned i = 0; i < r->tally.bins.n * REPORT_HEAT; i++)
		if (item->heat[i]) {
			b.from = to ? b.from : i / REPORT_HEAT;
			to = i / REPORT_HEAT + 1;
		}
	b.n_spans = to - b.from;
	b.n = b.n_spans < MAX_BLOCKS ? b.n_spans : MAX_BLOCKS;
	return b;
}

/* Those of a block, and how many of them are above a row of the heat map. */
static void count_above(const struct blocks *b, unsigned block, unsigned row, double *n,
			double *above)
{
	unsigned to = b->from + (block + 1) * b->n_spans / b->n;

	*n = *above = 0;
	for (unsigned i = b->from + block * b->n_spans / b->n; i < to; i++)
		for (unsigned j = 0; j < REPORT_HEAT; j++) {
			*n += b->heat[i * REPORT_HEAT + j];
			*above += j > row ? b->heat[i * REPORT_HEAT + j] : 0;
		}
}

/*
 * The design effect of cluster sampling: how much more the share above a value varies from block
 * to block than that of independent ones. False: there are too few blocks.
 */
static bool spread_at(const struct blocks *b, unsigned row, double *spread, double *share)
{
	double n, above, all = 0, all_above = 0, squares = 0, factor;
	unsigned used = 0;

	for (unsigned i = 0; i < b->n; i++) {
		count_above(b, i, row, &n, &above);
		used += n > 0;
		all += n;
		all_above += above;
	}
	if (used < MIN_BLOCKS)
		return false;
	*share = all_above / all;
	*spread = 1;
	for (unsigned i = 0; i < b->n; i++) {
		count_above(b, i, row, &n, &above);
		squares += (above - *share * n) * (above - *share * n);
	}
	if (*share <= 0 || *share >= 1)
		return true;
	factor = student(used) / 1.96;
	*spread = squares / (all * *share * (1 - *share)) * used / (used - 1) * factor * factor;
	if (*spread < 1)
		*spread = 1;
	return true;
}

static double distance(double a, double b)
{
	return a > b ? a - b : b - a;
}

/* Of the two borders beside the percentile, the nearer one. */
static bool spread_of(const struct report *r, const struct report_item *item, uint64_t value,
		      unsigned per_mille, double *spread)
{
	unsigned row = row_of(value);
	double above = 1 - per_mille / 1000.0, share, lower_spread, lower_share;
	struct blocks blocks;

	if (!item->heat)
		return false;
	blocks = blocks_of(r, item);
	if (!spread_at(&blocks, row, spread, &share))
		return false;
	if (row && spread_at(&blocks, row - 1, &lower_spread, &lower_share) && lower_share < 1 &&
	    (share <= 0 || distance(lower_share, above) < distance(share, above)))
		*spread = lower_spread;
	return true;
}

struct estimate report_percentile(const struct report *r, const struct report_item *item,
				  unsigned per_mille)
{
	struct estimate e = { .known = item && item->latencies && item->latencies->n };
	uint64_t value, low, high;
	double spread;

	if (!e.known)
		return e;
	value = latencies_percentile(item->latencies, per_mille);
	e.value = (double)value;
	e.bounded = spread_of(r, item, value, per_mille, &spread) &&
		    latencies_interval(item->latencies, per_mille, spread, &low, &high);
	if (e.bounded) {
		e.low = (double)low;
		e.high = (double)high;
	}
	return e;
}
