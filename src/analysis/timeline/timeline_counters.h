/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of a timeline. Rows come by the end of what they tell of, and the
 * start may lie anywhere before: changes wait for each other, as many as there
 * is room for, so that values are right at each time.
 */
#pragma once

#include <stdint.h>

#include "analysis/timeline/timeline_tracks.h"

enum { TIMELINE_WAITING = 16384 };

struct timeline_change {
	uint64_t ns;
	uint64_t key;
	int64_t change;
	enum timeline_owner owner;
	enum timeline_counter counter;
};

/* All zero has none. */
struct timeline_changes {
	struct timeline_change *heap; /* the earliest one first */
	unsigned n;
	uint64_t last_ns; /* of those that are out */
};

/* Of a place that is there by then; one that comes too late is put where the others are. */
void timeline_later(struct timeline_changes *changes, struct timeline_tracks *tracks,
		    const struct timeline_change *change);
/* All that wait. */
void timeline_changes_end(struct timeline_changes *changes, struct timeline_tracks *tracks);
