/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the functions that take rows share. Items may be NULL: they count nothing. */
#pragma once

#include "analysis/report/report_tally.h"
#include "read/layout.h"

struct report_source {
	enum stream_id stream;
	bool has_path;
	const struct read_column *columns;
	unsigned n_columns;
	/* The tally's numbers over time for the moment of this row, in over. */
	void (*take)(struct report_tally *tally, const struct report_source *source,
		     const struct field *fields, uint64_t *over);
};

void report_add(struct report_item *item, enum report_measure measure, uint64_t n);
/*
 * The main thread has the name of the process: another one's counts where there is no row of that. tid: a field,
 * or NULL.
 */
uint64_t report_label_time(const struct field *fields, const struct field *tid);
/* The process of a row, with its name; NULL: none, or no memory. */
struct report_item *report_process(struct report_tally *tally, enum stream_id stream,
				   const struct field *fields);
/* slow: with its numbers; path: a field, or NULL */
void report_note_slow(struct report_tally *tally, enum stream_id stream, const struct field *fields,
		      const struct report_slow *slow, const struct field *operation,
		      const struct field *path);
/* An operation that failed or not, and took a time that is known or not. */
struct report_item *report_operation(struct report_tally *tally, enum stream_id stream,
				     const struct field *fields, const struct field *name,
				     const struct field *latency, bool failed, uint64_t *over);
void report_move_over(uint64_t *over, bool reads, bool writes, uint64_t bytes);
void report_move_bytes(struct report_item *operation, bool reads, bool writes, uint64_t bytes);
