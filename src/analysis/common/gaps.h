/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every answer begins with: the trace that it comes from, the time that
 * this covers, and all that it lacks, as lines for people and as JSON.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "read/read_parallel.h"

struct gaps {
	const struct read_session *session;
	const char *host;
	enum stream_id stream;
	struct read_totals totals;
	uint64_t not_kept; /* rows that were added up, of which there is a summary alone */
	uint64_t chosen;   /* rows that the filters left */
	uint64_t first_ns; /* mono_ns of the first and of the last of them; 0: there was none */
	uint64_t last_ns;
	bool estimated; /* sums over several files, for the rows that --budget left out; */
	bool error_known; /* and the standard errors of a share of calls, in points, and of all bytes, in per cent: */
	double share_error, bytes_error;
	const char *columns[LAYOUT_MAX_COLUMNS]; /* that its files do not have, and what follows */
	const char *meaning[LAYOUT_MAX_COLUMNS];
	unsigned n_columns;
};

/*
 * Each line begins with prefix. What is about the whole trace is left out after the first of its
 * streams. Limits of the way of tracing, which are no accident, are one line.
 */
void gaps_print(FILE *out, const char *prefix, const struct gaps *gaps, bool first);
/* "command: dd if=/dev/zero (in /tmp)"; false, and nothing: the manifest does not say. */
bool gaps_print_command(FILE *out, const char *before, const json_t *manifest);
/* In words, behind what stands before them; false, and nothing: there were none. */
bool gaps_print_filters(FILE *out, const char *before, const json_t *filters);
/*
 * Rows were chosen by what each of them was (--operation, --errors, --min-latency): a call may be there without its
 * requests, or they without it, and what one is divided by the other says nothing.
 */
bool gaps_rows_chosen_apart(const json_t *manifest);
/* A new reference; NULL without memory. */
json_t *gaps_json(const struct gaps *gaps);
