/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms with buckets of powers of two (0, then [1,2), [2,4), [4,8) …), any
 * number of them in one: only buckets with a count take memory. Which histogram
 * a bucket belongs to is its tag, a number of the caller's below 2^24.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 65 };

struct histogram_bucket {
	uint64_t count;
	uint64_t sum;
};

/* The zeroed histogram is empty. */
struct histogram {
	uint32_t *keys; /* tag << 8 | bucket, in no order */
	struct histogram_bucket *buckets;
	uint16_t n;
	uint16_t max;
};

static inline unsigned histogram_bucket_of(uint64_t value)
{
	return value ? 64u - (unsigned)__builtin_clzll(value) : 0;
}

static inline uint64_t histogram_from(unsigned bucket)
{
	return bucket ? 1ull << (bucket - 1) : 0;
}

/* Exclusive; false: 2^64, which has no number. */
static inline bool histogram_to(unsigned bucket, uint64_t *to)
{
	*to = bucket < 64 ? 1ull << bucket : 0;
	return bucket < 64;
}

/* False without memory. */
bool histogram_add(struct histogram *histogram, uint32_t tag, uint64_t value);
/* Adds so many values at once, whose sum is known; sums end at 2^64 - 1. False without memory. */
bool histogram_put(struct histogram *histogram, uint32_t tag, unsigned bucket, uint64_t count,
		   uint64_t sum);
/* Takes one back that was added. */
void histogram_remove(struct histogram *histogram, uint32_t tag, uint64_t value);
/* All that is in other, too; its tags are given to tag_of first (NULL: they stay). */
bool histogram_join(struct histogram *histogram, const struct histogram *other,
		    uint32_t (*tag_of)(void *arg, uint32_t tag), void *arg);
void histogram_free(struct histogram *histogram);
