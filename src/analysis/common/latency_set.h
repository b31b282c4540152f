/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Percentiles of times of several kinds, for answers that hold many of them: buckets are those of
 * latencies.h, and only those with a count take memory (10 bytes of at most twice as many places).
 */
#pragma once

#include "analysis/common/latencies.h"

enum { LATENCY_SET_KINDS = 31 };

/* The zeroed one is empty. */
struct latency_set {
	uint16_t *keys; /* 1 + kind * 2048 + bucket; 0: free */
	uint64_t *counts;
	uint32_t n, size; /* a power of two */
};

/* False without memory. */
bool latency_set_add(struct latency_set *set, unsigned kind, uint64_t ns);
bool latency_set_join(struct latency_set *set, const struct latency_set *other);
/*
 * Those of a kind, of which the longest is known, replace what latencies has; its sum is not set.
 */
void latency_set_take(const struct latency_set *set, unsigned kind, uint64_t max,
		      struct latencies *latencies);
void latency_set_free(struct latency_set *set);
