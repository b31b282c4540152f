/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local time without the C library: localtime_r takes a lock, and a thread that
 * runs only when nobody else does must never hold one that others wait for.
 */
#pragma once

#include <stdint.h>

enum { ZONE_MAX_STEPS = 512, ZONE_TEXT_SIZE = 20 };

/* Distances to UTC, from one change of them to the next. */
struct zone {
	unsigned n;
	struct zone_step {
		int64_t from; /* seconds since 1970 */
		int32_t offset;
	} steps[ZONE_MAX_STEPS];
};

/* Asks the C library for the changes from 1970 to 2069; a few milliseconds. */
void zone_make(struct zone *zone);

/* "YYYY-MM-DD HH:MM:SS"; empty for a year that has no four digits. */
void zone_text(const struct zone *zone, int64_t seconds, char text[ZONE_TEXT_SIZE]);
