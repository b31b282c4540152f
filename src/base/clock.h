/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock that records carry, and how many of its ticks a second has. */
#pragma once

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ULL

/* How far CLOCK_MONOTONIC of a time namespace is ahead of the kernel's; 0 until it was looked for. */
extern int64_t clock_ahead_ns;
/*
 * Once, before the first mono_ns(): in a time namespace (Linux 5.6) our clock_gettime()
 * differs from the bpf_ktime_get_ns() of records. Without one, or on older kernels, the
 * difference stays 0.
 */
void clock_find_ahead(void);

/* CLOCK_MONOTONIC as the kernel has it, ns */
static inline uint64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec - (uint64_t)clock_ahead_ns;
}
