/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracks of a timeline: processes, threads, rings and devices, each made
 * when it is first used, and the lanes that keep slices from overlapping.
 */
#ifndef IOT_TIMELINE_TRACKS_H
#define IOT_TIMELINE_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/timeline_encoder.h"

enum { TIMELINE_DEPTH = 8 };

enum timeline_owner { OWNER_PROCESS = 1, OWNER_THREAD, OWNER_RING, OWNER_DEVICE, OWNER_LOST };

struct timeline_lane {
	uint64_t track;
	uint64_t end_ns; /* of its last slice */
	bool busy;       /* by one whose end is not known yet */
};

struct timeline_place {
	uint64_t key;
	enum timeline_owner owner; /* 0: nobody's place */
	uint64_t track;
	struct timeline_lane *lanes;
	unsigned n_lanes;
	unsigned depth; /* threads: of the slices that are open, */
	uint64_t ends[TIMELINE_DEPTH];
	uint64_t last_ns; /* and the start of the last one */
	uint64_t value_track;
	int64_t value; /* rings and devices: requests in flight */
	uint64_t link; /* rings: the arrow to the next request; 0: it is not linked */
};

struct timeline_tracks {
	struct timeline_encoder *encoder;
	struct timeline_place
		*places; /* open addressing; pointers hold until the next one is made */
	unsigned n_places;
	unsigned size; /* a power of two, or 0 */
	uint64_t n_ids;
	bool no_memory;
};

/* Makes it unless it is there. NULL without memory. */
struct timeline_place *timeline_thread(struct timeline_tracks *tracks, uint32_t pid, uint32_t tid,
				       struct timeline_text command);
struct timeline_place *timeline_group(struct timeline_tracks *tracks, enum timeline_owner owner,
				      uint64_t key, struct timeline_text name);
/* Where a slice of a group goes; NULL without memory. */
struct timeline_lane *timeline_lane(struct timeline_tracks *tracks, struct timeline_place *place,
				    uint64_t start_ns);
/* Where a slice of a thread goes: on its track when it is nested there, else on a lane below. */
uint64_t timeline_nested(struct timeline_tracks *tracks, struct timeline_place *place,
			 uint64_t start_ns, uint64_t end_ns);
/* One request more or less in flight. */
void timeline_count(struct timeline_tracks *tracks, struct timeline_place *place, uint64_t ns,
		    int change);
void timeline_tracks_free(struct timeline_tracks *tracks);

#endif
