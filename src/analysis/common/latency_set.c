/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the places of the buckets: a table with linear probing, never more than three quarters full. */
#include "analysis/common/latency_set.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_SHIFT = 11, MIN_SIZE = 16 };

_Static_assert(LATENCIES_BUCKETS <= 1 << KIND_SHIFT, "a key has room for a bucket");

static uint64_t *place_of(const struct latency_set *set, uint16_t key)
{
	uint32_t at = key * 40503u & (set->size - 1);

	while (set->keys[at] && set->keys[at] != key)
		at = (at + 1) & (set->size - 1);
	set->keys[at] = key;
	return &set->counts[at];
}

static bool grow(struct latency_set *set)
{
	struct latency_set more = { .size = set->size ? 2 * set->size : MIN_SIZE, .n = set->n };

	more.keys = calloc(more.size, sizeof(*more.keys));
	more.counts = calloc(more.size, sizeof(*more.counts));
	if (!more.keys || !more.counts) {
		latency_set_free(&more);
		return false;
	}
	for (uint32_t i = 0; i < set->size; i++)
		if (set->keys[i])
			*place_of(&more, set->keys[i]) = set->counts[i];
	latency_set_free(set);
	*set = more;
	return true;
}

static bool put(struct latency_set *set, uint16_t key, uint64_t count)
{
	uint64_t *place;

	if (4 * (set->n + 1) > 3 * set->size && !grow(set))
		return false;
	place = place_of(set, key);
	/* a place without a count is new: no count of 0 is ever put */
	set->n += !*place;
	*place += count;
	return true;
}

bool latency_set_add(struct latency_set *set, unsigned kind, uint64_t ns)
{
	return put(set, (uint16_t)(1 + (kind << KIND_SHIFT | latencies_bucket(ns))), 1);
}

bool latency_set_join(struct latency_set *set, const struct latency_set *other)
{
	bool ok = true;

	for (uint32_t i = 0; i < other->size && ok; i++)
		ok = !other->keys[i] || put(set, other->keys[i], other->counts[i]);
	return ok;
}

void latency_set_take(const struct latency_set *set, unsigned kind, uint64_t max,
		      struct latencies *latencies)
{
	memset(latencies, 0, sizeof(*latencies));
	latencies->max = max;
	for (uint32_t i = 0; i < set->size; i++) {
		unsigned key = set->keys[i] - 1u;

		if (!set->keys[i] || key >> KIND_SHIFT != kind)
			continue;
		latencies->counts[key & ((1 << KIND_SHIFT) - 1)] = set->counts[i];
		latencies->n += set->counts[i];
	}
}

void latency_set_free(struct latency_set *set)
{
	free(set->keys);
	free(set->counts);
	memset(set, 0, sizeof(*set));
}
