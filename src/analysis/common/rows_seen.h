/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was read of a stream: each thread has its own, until they are joined and become what the
 * trace lacks.
 */
#pragma once

#include "analysis/common/gaps.h"

struct rows_seen {
	struct read_totals totals;
	uint64_t rows, first_ns, last_ns; /* that the filters left; mono_ns */
	uint64_t columns;                 /* a bit for each that some segment lacks */
};

/* What a column that older recordings do not have is needed for. */
struct column_meaning {
	const char *column; /* NULL behind the last one */
	const char *meaning;
};

static inline void rows_seen_row(struct rows_seen *seen, uint64_t ns)
{
	if (!seen->rows++ || ns < seen->first_ns)
		seen->first_ns = ns;
	if (ns > seen->last_ns)
		seen->last_ns = ns;
}

/* At the end of a segment; columns without a name are in no file. */
void rows_seen_segment(struct rows_seen *seen, const struct read_task *task,
		       const struct rows_file *file);
void rows_seen_join(struct rows_seen *seen, const struct rows_seen *other);
/* session and host stay the caller's. */
struct gaps rows_seen_gaps(const struct rows_seen *seen, const struct read_session *session,
			   const char *host, const struct read_query *query,
			   const struct column_meaning *meanings);
