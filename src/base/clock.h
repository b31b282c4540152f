/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock that records carry, and how many of its ticks a second has. */
#pragma once

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ULL

/* CLOCK_MONOTONIC, ns */
static inline uint64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}
