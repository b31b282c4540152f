/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the buckets: keys lie side by side, so that a file's few are found within a cache line or two. */
#include "analysis/files/histogram.h"

#include <stdlib.h>

enum { FIRST_ROOM = 6 };

static bool grow(struct histogram *h)
{
	unsigned max = h->max < FIRST_ROOM ? FIRST_ROOM : h->max + h->max / 2u;
	uint32_t *keys = max > UINT16_MAX ? NULL : realloc(h->keys, max * sizeof(*keys));
	struct histogram_bucket *buckets;

	if (!keys)
		return false;
	h->keys = keys;
	buckets = realloc(h->buckets, max * sizeof(*buckets));
	if (!buckets)
		return false;
	h->buckets = buckets;
	h->max = (uint16_t)max;
	return true;
}

static struct histogram_bucket *bucket_of(struct histogram *h, uint32_t key)
{
	unsigned i = 0;

	while (i < h->n && h->keys[i] != key)
		i++;
	if (i < h->n)
		return &h->buckets[i];
	if (h->n == h->max && !grow(h))
		return NULL;
	h->keys[h->n] = key;
	h->buckets[h->n] = (struct histogram_bucket){ 0, 0 };
	return &h->buckets[h->n++];
}

bool histogram_put(struct histogram *histogram, uint32_t tag, unsigned bucket, uint64_t count,
		   uint64_t sum)
{
	struct histogram_bucket *found = bucket_of(histogram, tag << 8 | bucket);

	if (!found)
		return false;
	found->count += count;
	if (__builtin_add_overflow(found->sum, sum, &found->sum))
		found->sum = UINT64_MAX;
	return true;
}

bool histogram_add(struct histogram *histogram, uint32_t tag, uint64_t value)
{
	return histogram_put(histogram, tag, histogram_bucket_of(value), 1, value);
}

void histogram_remove(struct histogram *h, uint32_t tag, uint64_t value)
{
	uint32_t key = tag << 8 | histogram_bucket_of(value);
	unsigned i = 0;

	while (i < h->n && h->keys[i] != key)
		i++;
	if (i == h->n)
		return;
	h->buckets[i].sum -= value;
	if (--h->buckets[i].count)
		return;
	h->n--;
	h->keys[i] = h->keys[h->n];
	h->buckets[i] = h->buckets[h->n];
}

bool histogram_join(struct histogram *histogram, const struct histogram *other,
		    uint32_t (*tag_of)(void *arg, uint32_t tag), void *arg)
{
	for (unsigned i = 0; i < other->n; i++) {
		uint32_t tag = other->keys[i] >> 8;

		tag = tag_of ? tag_of(arg, tag) : tag;
		if (!histogram_put(histogram, tag, other->keys[i] & 0xff, other->buckets[i].count,
				   other->buckets[i].sum))
			return false;
	}
	return true;
}

void histogram_free(struct histogram *histogram)
{
	free(histogram->keys);
	free(histogram->buckets);
	*histogram = (struct histogram){ 0 };
}
