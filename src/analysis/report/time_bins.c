/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the widening: spans begin at multiples of their width, so that two become one whole. */
#include "analysis/report/time_bins.h"

#include <stdlib.h>
#include <string.h>

bool time_bins_reach(struct time_bins *bins, uint64_t ns, unsigned doublings,
		     struct time_move *move)
{
	uint64_t at = ns / TIME_BIN_NS >> bins->doublings;
	uint64_t low = bins->n && bins->first < at ? bins->first : at;
	uint64_t high = bins->n && bins->first + bins->n - 1 > at ? bins->first + bins->n - 1 : at;
	struct time_bins old = *bins;

	for (; high - low >= TIME_BINS || bins->doublings < doublings; bins->doublings++) {
		low >>= 1;
		high >>= 1;
	}
	bins->first = low;
	bins->n = (unsigned)(high - low + 1);
	if (!old.n || (old.first == low && old.doublings == bins->doublings))
		return false;
	move->n = old.n;
	for (unsigned i = 0; i < old.n; i++)
		move->to[i] =
			(uint16_t)(((old.first + i) >> (bins->doublings - old.doublings)) - low);
	return true;
}

bool time_move_numbers(const struct time_move *move, void *numbers, size_t size, size_t n_each)
{
	void *old = malloc(TIME_BINS * n_each * size);

	if (!old)
		return false;
	memcpy(old, numbers, TIME_BINS * n_each * size);
	memset(numbers, 0, TIME_BINS * n_each * size);
	for (unsigned i = 0; i < move->n; i++)
		for (size_t j = 0; j < n_each; j++) {
			size_t from = i * n_each + j, to = move->to[i] * n_each + j;

			if (size == sizeof(uint32_t))
				((uint32_t *)numbers)[to] += ((uint32_t *)old)[from];
			else
				((uint64_t *)numbers)[to] += ((uint64_t *)old)[from];
		}
	free(old);
	return true;
}
