/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of several streams as one sequence in the order of mono_ns. Within
 * a stream the order is that of its files: a row that came late to the recorder
 * comes late here, too. Memory is that of one open segment for each stream.
 */
#pragma once

#include "read/read_parallel.h"

struct read_merge;

struct read_merged {
	unsigned query; /* of which stream */
	const struct read_segment *segment;
	const struct field *fields; /* in the order of the columns, valid until the next row */
	uint64_t mono_ns;
};

/*
 * Each query has mono_ns among its columns. Session and queries stay the
 * caller's. NULL without memory.
 */
struct read_merge *read_merge_open(const struct read_session *session,
				   const struct read_query *queries, unsigned n_queries);
/*
 * False at the end. What could not be read is reported. Rows without a value of mono_ns are
 * passed over.
 */
bool read_merge_next(struct read_merge *merge, struct read_merged *row);
/*
 * What was read of a stream so far; a bit of *missing for each column that some of its files lack.
 */
void read_merge_totals(const struct read_merge *merge, unsigned query, struct read_totals *totals,
		       uint64_t *missing);
void read_merge_close(struct read_merge *merge);
