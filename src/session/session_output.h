/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the rows of a recording go: into a session directory and its summaries, or to a tap
 * that shows them. Without a directory, what belongs to one does nothing.
 */
#pragma once

#include "events/events.h"
#include "session/recording_options.h"
#include "session/session_summaries.h"
#include "trace/ledger.h"

enum output_state {
	OUTPUT_GOING,
	OUTPUT_GONE, /* nothing can be kept any more */
	OUTPUT_STOP, /* the recording is to end */
};

struct output {
	struct writer *writer; /* NULL: there is none */
	struct digest digest;
	const struct row_tap *tap;
	uint64_t hurry_ns; /* by which rows leave earlier than order needs them to */
	bool paused;       /* the disk is full */
	bool stopped;      /* the writer, for good */
	int summary_error; /* of its last tables */
};

/* Zeroed. Creates the directory; output_start: threads, when signals are blocked. 0 or -errno. */
int output_open(struct output *output, const struct recording_options *options);
int output_start(struct output *output, const struct recording_options *options);

void output_stream(struct output *output, enum stream_id stream);
/* key: its CLOCK_MONOTONIC time */
void output_row(struct output *output, enum stream_id stream, const char *row, size_t len,
		uint64_t key);
/* Every turn. What a full disk did not take is entered into the ledger. */
enum output_state output_tick(struct output *output, struct ledger *ledger);
/* Every turn, after it: rows that wait for their order would go with a SIGKILL. */
void output_waiting(struct output *output, struct events *events);
void output_rotate(struct output *output);
/* Probes are about to be detached, which may take seconds. */
void output_stopping(struct output *output);
/* Nearly all rows have come: those that could not be written are entered into the ledger. */
void output_account(struct output *output, struct ledger *ledger);
/* All rows have come. */
void output_end(struct output *output, bool interrupted);
/* Closes the directory; returns 0 or -errno of the first thing that failed. */
int output_finish(struct output *output, struct write_totals *totals);
/* Of a recording that never began. */
void output_abandon(struct output *output);
void output_close(struct output *output);
