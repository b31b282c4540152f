/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows to events of a timeline: one function for each stream, with the columns that it is given. */
#pragma once

#include "analysis/common/devices.h"
#include "analysis/timeline/timeline.h"
#include "analysis/timeline/timeline_counters.h"
#include "analysis/common/ring_requests.h"
#include "analysis/timeline/timeline_tracks.h"
#include "analysis/timeline/timeline_why.h"
#include "read/read_parallel.h"

/* The last write to a file: what a request that comes of it began with. */
struct timeline_write {
	uint64_t hash;
	uint64_t pid;
	uint64_t track;
	uint64_t ns;
};

enum { TIMELINE_WRITES = 16384 }; /* a power of two */

struct timeline {
	struct timeline_encoder *encoder;
	struct timeline_tracks tracks;
	struct ring_requests requests;
	struct timeline_changes changes;
	struct timeline_write *writes; /* by hash; NULL: none so far */
	struct devices devices;
	struct timeline_why *why;  /* NULL: it is not known */
	struct stack_names *names; /* of functions; NULL: there are no stacks */
	struct timeline_totals totals;
	uint64_t n_rows[N_STREAMS];
	uint64_t n_flows;
	uint64_t n_rings;
	uint64_t *rings;         /* their addresses */
	bool all_requests;       /* of io_uring are here: none was left out or lost */
	uint64_t end_ns;         /* of the last event */
	uint64_t from_ns, to_ns; /* the part that is wanted */
};

struct timeline_source {
	struct read_query query;
	unsigned pid;   /* its column; -1u: none */
	unsigned owner; /* the column of who caused it, who counts as well; -1u: none */
	void (*row)(struct timeline *timeline, const struct field *fields);
};

enum { TIMELINE_ROWS = 3, TIMELINE_THREADS = 3 };
extern const struct timeline_source timeline_rows[TIMELINE_ROWS];
/* Where the last write to a file is noted, or one to another file; NULL without memory. */
struct timeline_write *timeline_write_of(struct timeline *timeline, uint64_t hash);
/* Never 0, which is nobody's. */
uint64_t timeline_write_hash(const struct field *path);

/* An event of a track, without arguments. */
struct timeline_event timeline_event(enum timeline_kind kind, uint64_t ns, uint64_t track);
/*
 * Its next argument, unless the value is not known. name and the row's text must stay until
 * the event is given to the encoder.
 */
void timeline_number(struct timeline_event *event, const char *name, const struct field *field);
void timeline_words(struct timeline_event *event, const char *name, const struct field *field);
/* Begins and ends it, with the name and the arguments of the event. */
void timeline_slice(struct timeline *timeline, struct timeline_event *event, uint64_t end_ns);

static inline struct timeline_text timeline_text(const struct field *field)
{
	return (struct timeline_text){ field->text, field->len };
}
