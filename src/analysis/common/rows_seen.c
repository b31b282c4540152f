/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the counts of one thread, and how those of several become one. */
#include "analysis/common/rows_seen.h"

#include <string.h>

#include "read/read_segment.h"

void rows_seen_segment(struct rows_seen *seen, const struct read_task *task,
		       const struct rows_file *file)
{
	const struct read_query *query = task->query;

	seen->totals.bad_rows += file->n_bad;
	seen->totals.rows += file->n - file->n_bad;
	seen->totals.unreadable += read_segment_is_short(task->segment, file);
	for (unsigned i = 0; i < query->n_columns && file->n; i++)
		if (query->columns[i].name[0] && !rows_file_has(file, i))
			seen->columns |= 1ull << i;
}

void rows_seen_join(struct rows_seen *seen, const struct rows_seen *other)
{
	if (other->last_ns && (!seen->rows || other->first_ns < seen->first_ns))
		seen->first_ns = other->first_ns;
	if (other->last_ns > seen->last_ns)
		seen->last_ns = other->last_ns;
	seen->rows += other->rows;
	seen->totals.rows += other->totals.rows;
	seen->totals.bad_rows += other->totals.bad_rows;
	seen->totals.unreadable += other->totals.unreadable;
	seen->columns |= other->columns;
}

struct gaps rows_seen_gaps(const struct rows_seen *seen, const struct read_session *session,
			   const char *host, const struct read_query *query,
			   const struct column_meaning *meanings)
{
	struct gaps gaps = {
		.session = session,
		.host = host,
		.stream = query->stream,
		.totals = seen->totals,
		.chosen = seen->rows,
		.first_ns = seen->first_ns,
		.last_ns = seen->last_ns,
	};

	for (unsigned i = 0; i < query->n_columns; i++) {
		const char *name = query->columns[i].name;
		const struct column_meaning *m = meanings;

		if (!(seen->columns & 1ull << i))
			continue;
		while (m->column && strcmp(m->column, name))
			m++;
		gaps.columns[gaps.n_columns] = name;
		gaps.meaning[gaps.n_columns++] = m->column ? m->meaning :
							     "what it tells is not known";
	}
	return gaps;
}
