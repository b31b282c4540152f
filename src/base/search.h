/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a number belongs in a list that is in order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether item i belongs before the key. */
typedef bool search_before(const void *list, uint64_t i, uint64_t key);

/* The first of the items from low on, up to high, that does not; high: all do. */
static inline uint64_t search_first(const void *list, uint64_t low, uint64_t high,
				    search_before *before, uint64_t key)
{
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (before(list, middle, key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
