/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens now, as one table each interval: who records adds events up, and a thread shows what
 * came of it. Nobody waits for it, and nothing is left out: while it has not shown an interval,
 * the next one goes on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/top/top_table.h"

struct events_values;

/* What a person may change while looking. */
struct top_choice {
	enum top_view view;
	enum top_sort sort;
	bool frozen;
	struct top_file file; /* in place of all files */
};

enum top_wish { TOP_NOTHING, TOP_DRAW, TOP_QUIT };

/* What shows tables instead of printing them; all of it is called by the thread. */
struct top_display {
	bool (*begin)(void *arg);
	void (*show)(void *arg, const struct top_round *round);
	/* A few times a second: keys. */
	enum top_wish (*turn)(void *arg, struct top_choice *choice);
	void (*end)(void *arg); /* also when it could not begin */
};

struct top_options {
	FILE *out; /* stays the caller's */
	enum top_view view;
	enum top_sort sort;
	unsigned n_rows; /* 0: all */
	uint64_t interval_ns;
	uint64_t rounds; /* 0: until it is ended */
	enum table_format format;
	const struct top_display *display; /* NULL: tables to out */
	void *display_arg;
};

struct top;

/* NULL, and reported, when it cannot be. */
struct top *top_open(const struct top_options *options);
/* ---- who records; none of these waits ---- */
/* What is to be given to it of each event; stays as long as it. */
const struct events_values *top_wants(const struct top *top);
enum top_state {
	TOP_GOING,
	TOP_DONE,  /* all rounds were shown, or nobody reads them */
	TOP_ENDED, /* by a key, or the terminal is gone */
};
/* A few times a second. */
enum top_state top_tick(struct top *top);
/* The last interval ends now; its table is shown when all events have come. */
void top_stopping(struct top *top);
/* All have come: an interval that has begun is printed. See join_writer. */
void top_end(struct top *top, bool interrupted);
/* Once ended, or nothing was ever given to it; returns 0 or the errno of a failed write. */
int top_close(struct top *top);
