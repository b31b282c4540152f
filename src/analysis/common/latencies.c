/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the buckets. A percentile is the highest value of its bucket, never above the highest of all. */
#include "analysis/common/latencies.h"

#include "base/square_root.h"

enum { SUB_BITS = 5, SUBS = 1 << SUB_BITS };

unsigned latencies_bucket(uint64_t value)
{
	unsigned exponent;

	if (value < SUBS)
		return (unsigned)value;
	exponent = 63u - (unsigned)__builtin_clzll(value);
	return (exponent - SUB_BITS) * SUBS + (unsigned)(value >> (exponent - SUB_BITS));
}

static uint64_t highest_of(unsigned bucket)
{
	unsigned shift = bucket < SUBS ? 0 : bucket / SUBS - 1;
	uint64_t base = bucket < SUBS ? bucket : SUBS + bucket % SUBS;

	return (base << shift) + ((1ull << shift) - 1);
}

void latencies_add(struct latencies *l, uint64_t ns)
{
	l->n++;
	l->sum += ns;
	if (ns > l->max)
		l->max = ns;
	l->counts[latencies_bucket(ns)]++;
}

void latencies_join(struct latencies *l, const struct latencies *other)
{
	l->n += other->n;
	l->sum += other->sum;
	if (other->max > l->max)
		l->max = other->max;
	for (unsigned i = 0; i < LATENCIES_BUCKETS; i++)
		l->counts[i] += other->counts[i];
}

/* Where the value of this rank is, of which the lowest one's is 1. */
static unsigned bucket_of_rank(const struct latencies *l, uint64_t rank)
{
	uint64_t seen = 0;
	unsigned i = 0;

	while (i + 1 < LATENCIES_BUCKETS && (seen += l->counts[i]) < rank)
		i++;
	return i;
}

static uint64_t at_most(const struct latencies *l, uint64_t rank)
{
	uint64_t value = highest_of(bucket_of_rank(l, rank));

	return value < l->max ? value : l->max;
}

uint64_t latencies_percentile(const struct latencies *l, unsigned per_mille)
{
	/* rounded up; in two parts, because n * per_mille may overflow */
	uint64_t rank = l->n / 1000 * per_mille + (l->n % 1000 * per_mille + 999) / 1000;

	return l->n ? at_most(l, rank ? rank : 1) : 0;
}

/* The number of values below a percentile has a binomial distribution: whatever that of the values is. */
bool latencies_interval(const struct latencies *l, unsigned per_mille, double spread, uint64_t *low,
			uint64_t *high)
{
	double share = per_mille / 1000.0, below = (double)l->n * share;
	double half = 1.96 * square_root(below * (1 - share) * spread);
	uint64_t first, last;
	unsigned bucket;

	if (below - half < 1)
		return false;
	/* from the last one that is surely below it to the first one that is surely above it */
	first = (uint64_t)(below - half);
	last = (uint64_t)(below + half) + 2;
	if (last > l->n)
		return false;
	bucket = bucket_of_rank(l, first);
	*low = bucket ? highest_of(bucket - 1) + 1 : 0;
	*high = at_most(l, last);
	return true;
}
