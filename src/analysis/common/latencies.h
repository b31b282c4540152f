/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Percentiles of times: a histogram whose buckets are a 32nd of a power of two
 * wide, so that what it tells is at most 3.2 % above the exact value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* 32 exact ones, and 32 for each power of two from 2^5 to 2^63. */
enum { LATENCIES_BUCKETS = 60 * 32 };

/* The zeroed one is empty. */
struct latencies {
	uint64_t n;
	uint64_t sum;
	uint64_t max;
	uint64_t counts[LATENCIES_BUCKETS];
};

/* Where a time is counted. */
unsigned latencies_bucket(uint64_t ns);
void latencies_add(struct latencies *latencies, uint64_t ns);
void latencies_join(struct latencies *latencies, const struct latencies *other);

/* per_mille of all are not above it: 500, 950, 999. 0 when there are none. */
uint64_t latencies_percentile(const struct latencies *latencies, unsigned per_mille);

/*
 * Between which values the percentile lies with a confidence of 95 %, if these are a sample of what
 * the system does. spread: how much more the number of values below it varies than that of
 * independent ones (1). False, and nothing set: too few of them to tell.
 */
bool latencies_interval(const struct latencies *latencies, unsigned per_mille, double spread,
			uint64_t *low, uint64_t *high);
