/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All rows of some streams of a session, its segments read side by side. The
 * rows of one segment come in their order, from one thread; a caller that needs the order
 * of segments joins its results of each at the end.
 */
#pragma once

#include <stdint.h>

#include "read/read_session.h"

/* The columns that are wanted of a stream. */
struct read_query {
	enum stream_id stream;
	const struct read_column *columns;
	unsigned n_columns;
};

struct read_task {
	const struct read_query *query;
	const struct read_segment *segment;
	unsigned index;  /* of the segment in its stream */
	unsigned thread; /* that reads it, from 0 on: what only it touches needs no lock */
};

struct read_parallel {
	const struct read_session *session;
	const struct read_query *queries;
	unsigned n_queries;
	unsigned n_threads; /* read_threads(), or fewer */
	void *arg;          /* of the functions below, which any thread calls */
	/* A row; its fields are in the order of the columns. */
	void (*row)(void *arg, const struct read_task *task, const struct field *fields);
	/* After the last row of a segment: how many there were, and what it lacks. May be NULL. */
	void (*end)(void *arg, const struct read_task *task, const struct rows_file *file);
};

struct read_totals {
	uint64_t rows;
	uint64_t bad_rows;
	uint64_t bytes;      /* of files */
	uint64_t unreadable; /* files */
};

/* As many threads as there are CPUs that we may use. */
unsigned read_threads(void);

/*
 * Returns 0, or -errno when not even a thread could be begun. What could not be read is reported.
 */
int read_parallel(const struct read_parallel *read, struct read_totals *totals);
