/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows as lines while they happen: a thread writes them, and waits for who reads them, so
 * that nobody else does. Rows that come meanwhile and find no room are dropped; a line says
 * how many, where they would have been.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/schema.h"

struct watch_options {
	int fd; /* the lines go there; stays the caller's */
	bool json;
	bool colour; /* failed operations are red */
};

struct watch_totals {
	uint64_t rows;    /* that came, */
	uint64_t lines;   /* were written, */
	uint64_t damaged; /* or were malformed; the others were dropped */
	int err;          /* errno of a failed write; EPIPE: nobody reads any more */
};

struct watch;

/* NULL, and reported, when it cannot be. */
struct watch *watch_open(const struct watch_options *options);
/* ---- who records; none of these waits ---- */
void watch_row(struct watch *watch, enum stream_id stream, const char *row, size_t len,
	       uint64_t key);
/* A few times a second. False: nothing can be written any more. */
bool watch_tick(struct watch *watch);

/*
 * All rows have come: waits until the lines are written, unless a signal (of those that are
 * blocked) comes, or, interrupted by one before, nothing was read for two seconds.
 */
void watch_end(struct watch *watch, bool interrupted);
struct watch_totals watch_totals(const struct watch *watch);
/* Ended, or nothing was ever given to it. */
void watch_close(struct watch *watch);
