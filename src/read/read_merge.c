/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns one place in each stream, and the choice of the earliest row among them. */
#include "read/read_merge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/read_segment.h"

/* A stream, segment by segment. */
struct cursor {
	const struct read_query *query;
	const struct read_stream *stream;
	unsigned segment; /* that is open, or comes next */
	bool open;
	bool has_row;
	unsigned time_column;
	uint64_t mono_ns;
	int fd;
	struct rows_file file;
	struct read_totals totals; /* of files that are read */
	uint64_t missing;
	char first_bad[LAYOUT_WHY_SIZE + 32];
};

struct read_merge {
	const struct read_session *session;
	unsigned n;
	struct cursor *last; /* whose row was given away */
	struct cursor cursors[];
};

static bool open_segment(const struct read_session *session, struct cursor *c)
{
	const struct read_segment *segment = &c->stream->segments[c->segment];
	enum packing packing;
	int err;

	c->fd = read_segment_open(session, segment, &packing);
	if (c->fd < 0)
		return false;
	err = rows_file_open(&c->file, c->fd, packing, c->query->columns, c->query->n_columns,
			     NULL);
	if (!err)
		return true;
	read_segment_failed(session, segment, err);
	c->totals.unreadable++;
	close(c->fd);
	return false;
}

static void close_segment(struct cursor *c)
{
	if (c->open) {
		rows_file_close(&c->file);
		close(c->fd);
	}
	c->open = false;
}

/* The next row of the open segment that has a time. */
static bool next_in_segment(const struct read_session *session, struct cursor *c)
{
	const struct read_segment *segment = &c->stream->segments[c->segment];
	int result;

	while ((result = rows_file_next(&c->file)) > 0) {
		const struct field *when = &c->file.fields[c->time_column];

		if (result == ROWS_ROW && when->known) {
			c->mono_ns = when->u;
			return true;
		}
		if (result == ROWS_BAD && c->file.n_bad == 1)
			memcpy(c->first_bad, c->file.why, sizeof(c->first_bad));
	}
	if (result < 0)
		read_segment_failed(session, segment, result);
	else
		read_segment_report(session, segment, &c->file, c->first_bad);
	c->totals.rows += c->file.n - c->file.n_bad;
	c->totals.bad_rows += c->file.n_bad;
	c->totals.unreadable += result < 0 || read_segment_is_short(segment, &c->file);
	c->totals.bytes += segment->bytes;
	for (unsigned i = 0; c->file.n && i < c->query->n_columns; i++)
		if (!rows_file_has(&c->file, i))
			c->missing |= 1ull << i;
	return false;
}

static void advance(const struct read_session *session, struct cursor *c)
{
	c->has_row = false;
	while (!c->has_row && c->segment < c->stream->n_segments) {
		if (!c->open)
			c->open = open_segment(session, c);
		c->has_row = c->open && next_in_segment(session, c);
		if (!c->has_row) {
			close_segment(c);
			c->segment++;
		}
	}
}

/* The caller's columns must have it; else it would be the last one. */
static unsigned find_time(const struct read_query *query)
{
	unsigned i = 0;

	while (i + 1 < query->n_columns && strcmp(query->columns[i].name, "mono_ns"))
		i++;
	return i;
}

struct read_merge *read_merge_open(const struct read_session *session,
				   const struct read_query *queries, unsigned n_queries)
{
	struct read_merge *merge = calloc(1, sizeof(*merge) + n_queries * sizeof(struct cursor));

	if (!merge)
		return NULL;
	merge->session = session;
	merge->n = n_queries;
	for (unsigned i = 0; i < n_queries; i++) {
		struct cursor *c = &merge->cursors[i];

		c->query = &queries[i];
		c->stream = &session->streams[queries[i].stream];
		c->time_column = find_time(&queries[i]);
		advance(session, c);
	}
	return merge;
}

bool read_merge_next(struct read_merge *merge, struct read_merged *row)
{
	struct cursor *first = NULL;

	/* not before: the fields of the row that was given away pointed into its buffer */
	if (merge->last)
		advance(merge->session, merge->last);
	for (unsigned i = 0; i < merge->n; i++) {
		struct cursor *c = &merge->cursors[i];

		if (c->has_row && (!first || c->mono_ns < first->mono_ns))
			first = c;
	}
	merge->last = first;
	if (!first)
		return false;
	row->query = (unsigned)(first - merge->cursors);
	row->segment = &first->stream->segments[first->segment];
	row->fields = first->file.fields;
	row->mono_ns = first->mono_ns;
	return true;
}

void read_merge_totals(const struct read_merge *merge, unsigned query, struct read_totals *totals,
		       uint64_t *missing)
{
	*totals = merge->cursors[query].totals;
	*missing = merge->cursors[query].missing;
}

void read_merge_close(struct read_merge *merge)
{
	for (unsigned i = 0; merge && i < merge->n; i++)
		close_segment(&merge->cursors[i]);
	free(merge);
}
