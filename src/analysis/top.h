/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens now, as one table each interval: a thread adds rows up and prints. Who records
 * never waits for it; rows that find no room are dropped, and each table says how many.
 */
#ifndef IOT_TOP_H
#define IOT_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/top_model.h"

struct top_options {
	FILE *out; /* stays the caller's */
	enum top_view view;
	enum top_sort sort;
	unsigned n_rows; /* 0: all */
	uint64_t interval_ns;
	uint64_t rounds; /* 0: until it is ended */
};

struct top;

/* NULL, and reported, when it cannot be. */
struct top *top_open(const struct top_options *options);
/* ---- who records; none of these waits ---- */
void top_row(struct top *top, enum stream_id stream, const char *row, size_t len, uint64_t key);
/* A few times a second. False: all rounds were printed, or nobody reads them. */
bool top_tick(struct top *top);
/* All rows have come: an interval that has begun is printed. See join_writer. */
void top_end(struct top *top, bool interrupted);
/* Once ended, or nothing was ever given to it; returns 0 or the errno of a failed write. */
int top_close(struct top *top);

#endif
