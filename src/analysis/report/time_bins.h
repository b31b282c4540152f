/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in a series of 512 equal spans of time a moment lies. Nobody knows
 * beforehand how long a trace is, nor which of its rows comes first: the spans
 * begin with 1 ms and double, and what was counted in them moves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIME_BINS = 512, TIME_BIN_NS = 1000000 };

/* The zeroed one has no span. */
struct time_bins {
	uint64_t first;     /* since time 0, in spans */
	unsigned doublings; /* of the spans, that are 1 ms long without */
	unsigned n;         /* from the first one to the last that is used */
};

/* Where each span has gone. */
struct time_move {
	uint16_t to[TIME_BINS];
	unsigned n;
};

static inline uint64_t time_bins_width(const struct time_bins *bins)
{
	return (uint64_t)TIME_BIN_NS << bins->doublings;
}

/* ns of the begin of a span. */
static inline uint64_t time_bins_start(const struct time_bins *bins, unsigned i)
{
	return (bins->first + i) * time_bins_width(bins);
}

/* The span of a moment, or -1: it is in none, as far as they reach now. */
static inline int time_bins_find(const struct time_bins *bins, uint64_t ns)
{
	uint64_t at = (ns / TIME_BIN_NS >> bins->doublings) - bins->first;

	return at < bins->n ? (int)at : -1;
}

/* Makes them reach to a moment, with spans at least so wide. True: they have moved. */
bool time_bins_reach(struct time_bins *bins, uint64_t ns, unsigned doublings,
		     struct time_move *move);

/*
 * Moves what was counted: TIME_BINS groups of as many numbers (uint32_t or uint64_t) as a span has.
 * False without memory.
 */
bool time_move_numbers(const struct time_move *move, void *numbers, size_t size, size_t n_each);
