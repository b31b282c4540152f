/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns of each stream a report is made of, and what a row of them counts as. */
#ifndef IOT_REPORT_ROWS_H
#define IOT_REPORT_ROWS_H

#include "analysis/common/row_filter.h"
#include "analysis/report/report_tally.h"
#include "read/layout.h"

/* The first columns of each source. */
enum { REPORT_MONO, REPORT_PID, REPORT_COMMAND, REPORT_PATH, REPORT_OWN };

struct report;

/* Whose a row is: the caller, or who caused a request. */
struct report_caller {
	const struct field *pid;
	const struct field *command;
};
struct report_caller report_caller(enum stream_id stream, const struct field *f);

struct report_source {
	enum stream_id stream;
	bool has_path;
	const struct read_column *columns;
	unsigned n_columns;
	/* The tally's numbers over time for the moment of this row, in over. */
	void (*take)(struct report_tally *tally, const struct report_source *source,
		     const struct field *fields, uint64_t *over);
};

/* All that are read, up to n of them. */
extern const struct report_source report_sources[];
extern const unsigned report_n_sources;

/* The row passes all filters except that of paths. */
bool report_chooses(const struct report *report, const struct row_filter *filter,
		    enum stream_id stream, const struct field *fields);

/* Of a column that files of a trace do not have. */
extern const struct column_meaning report_column_meanings[];

#endif
