/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A short timeline in memory, as it is drawn: what is on each track, and the arrows between. */
#pragma once

#include "analysis/common/pool.h"
#include "analysis/timeline/timeline_encoder.h"
#include "analysis/common/wall.h"

/* Things in a picture: more of them no browser shows well, and nobody tells apart. */
enum { PICTURE_MOST = 10000 };

struct picture_track {
	uint64_t parent; /* 0: a group of its own */
	enum timeline_track_kind kind;
	uint32_t tid;
	const char *name; /* NULL: no track has this number */
	uint64_t open;    /* 1 + the slice begun last that is not ended; 0: none is */
	/* of who draws it */
	int64_t most; /* counters: the highest value */
	unsigned depth, y;
	bool shown, runs;
};

enum picture_kind { PICTURE_SLICE, PICTURE_INSTANT, PICTURE_VALUE, PICTURE_RUN };

struct picture_item {
	enum picture_kind kind;
	uint64_t track;
	uint64_t ns, end_ns;
	int64_t value;
	const char *name, *title;
	uint64_t before; /* slices: 1 + the one that was open when it began; 0: none */
	unsigned depth;
};

/* Where an arrow begins, goes on, or ends. */
struct picture_point {
	uint64_t flow;
	uint64_t item;
};

struct picture {
	struct picture_track *tracks; /* by number */
	uint64_t n_tracks;
	struct picture_item *items;
	unsigned n_items;
	struct picture_point *points;
	unsigned n_points;
	uint64_t first_ns, last_ns;
	const struct wall *wall; /* borrowed; NULL: times are since the first item */
	struct pool pool;
};

/* Its points are in another order then. Returns 0 or -ENOMEM. */
int picture_draw(FILE *out, struct picture *picture);
