/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracks of a timeline: processes, threads, rings and devices, each made
 * when it is first used, and the lanes that keep slices from overlapping.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "analysis/common/process_containers.h"
#include "analysis/timeline/timeline_encoder.h"

struct ring_request;

enum { TIMELINE_DEPTH = 8 };

enum timeline_owner {
	OWNER_PROCESS = 1,
	OWNER_THREAD,
	OWNER_RING,
	OWNER_DEVICE,
	OWNER_LOST,
	OWNER_RECORDING, /* one for each stream, and one for all */
};

enum timeline_counter {
	COUNTER_IN_FLIGHT,
	COUNTER_QUEUE_DEPTH,
	COUNTER_THROUGHPUT,
	COUNTER_SQ_FILL,
	COUNTER_CQ_FILL,
	COUNTER_WORKERS,
	COUNTER_WRITTEN,
	COUNTER_LOST,
	COUNTER_RECORDS,
	COUNTER_SKIPPED,
	COUNTER_NOT_RELATED,
	COUNTER_BAD,
	N_COUNTERS,
};

/* Of a place that has any. */
struct timeline_counts {
	uint64_t tracks[N_COUNTERS]; /* 0: none yet */
	int64_t values[N_COUNTERS];
	uint64_t since_ns; /* throughput: of the span that is added up */
	uint64_t bytes;
};

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
	uint64_t last_ns;               /* and the start of the last one */
	struct timeline_counts *counts; /* NULL: none so far */
	uint64_t link; /* rings: the arrow to the next request; 0: it is not linked */
	unsigned first_ring, n_rings;   /* processes: their rings, */
	bool old_rings;                 /* of which some may have requests that nobody saw begin; */
	struct ring_request *newest;    /* and their requests in flight */
	uint64_t call_ns, call_ends_ns; /* threads: their last call of io_uring_enter */
	bool counted;                   /* threads: among the workers */
	uint64_t worked_ns;             /* workers: when the last request was done */
};

struct timeline_tracks {
	struct timeline_encoder *encoder;
	struct timeline_place
		*places; /* open addressing; pointers hold until the next one is made */
	unsigned n_places;
	unsigned size; /* a power of two, or 0 */
	uint64_t n_ids;
	struct process_containers containers; /* processes in one have its name behind theirs */
	bool no_memory;
};

enum { TIMELINE_NAME_SIZE = 320 };

/* Threads of the kernel that work for rings of their process. */
static inline bool timeline_is_worker(struct timeline_text command)
{
	return command.len > 8 &&
	       (!memcmp(command.text, "iou-wrk-", 8) || !memcmp(command.text, "iou-sqp-", 8));
}

/* Their name with their rings; of others, the command. */
struct timeline_text timeline_worker_name(const struct timeline_tracks *tracks, uint32_t pid,
					  struct timeline_text command,
					  char name[TIMELINE_NAME_SIZE]);

/* Makes it unless it is there. NULL without memory. */
struct timeline_place *timeline_process(struct timeline_tracks *tracks, uint32_t pid,
					struct timeline_text command);
/* So these; command and name count when it is made, and its process is made with it. */
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
/* NULL: it is not there. */
struct timeline_place *timeline_find(const struct timeline_tracks *tracks,
				     enum timeline_owner owner, uint64_t key);
/* A counter is so much more, or has this value. */
void timeline_count(struct timeline_tracks *tracks, struct timeline_place *place,
		    enum timeline_counter counter, uint64_t ns, int64_t change);
void timeline_value(struct timeline_tracks *tracks, struct timeline_place *place,
		    enum timeline_counter counter, uint64_t ns, int64_t value);
void timeline_tracks_free(struct timeline_tracks *tracks);
