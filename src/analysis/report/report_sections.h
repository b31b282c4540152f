/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model of a report as tables, each with a name: what every encoder prints, so
 * that none of them can say something else than the others.
 */
#pragma once

#include "analysis/report/report.h"
#include "analysis/common/table.h"

enum report_shown {
	REPORT_EXACT, /* not in the text report: in CSV, JSON and with --section */
	REPORT_SHOWN,
	REPORT_WIDE, /* the last one there: the longest */
};

struct report_column {
	const char *name;
	enum table_type type;
	enum report_shown shown;
};

enum { REPORT_MAX_SECTIONS = 40, REPORT_MAX_COLUMNS = 32 };

struct report_section {
	const char *name;
	const char *title;
	struct report_column columns[REPORT_MAX_COLUMNS];
	unsigned n_columns;
	struct table_value *rows; /* n_columns for each */
	uint64_t n, max;
	uint64_t n_all; /* of which the first n are here */
};

struct report_answer {
	struct report *report;
	uint64_t top; /* rows of a list; 0: all of them */
	struct pool pool;
	struct report_section sections[REPORT_MAX_SECTIONS];
	unsigned n;
	bool knows_severity;             /* of page faults */
	json_t *disks;                   /* of the snapshot; NULL: there is none */
	const struct programs *programs; /* NULL: not added up yet */
	bool no_memory;
};

const struct report_section *report_section(const struct report_answer *answer, const char *name);

/* ---- for who fills sections ---- */

struct report_section *report_section_add(struct report_answer *answer, const char *name,
					  const char *title, const struct report_column *columns,
					  unsigned n_columns);
/* A row of values that are not known yet; NULL without memory. */
struct table_value *report_section_row(struct report_answer *answer,
				       struct report_section *section);

/* A section of names and what there is to say of each; second: the name of that column. */
void report_pairs_add(struct report_answer *answer, const char *name, const char *title,
		      const char *second);
/* In the section that was added last; name stays where it is. */
__attribute__((format(printf, 3, 4))) void report_say(struct report_answer *answer,
						      const char *name, const char *format, ...);

/* The value of a column, NULL: it has none of that name. */
const struct table_value *report_cell(const struct report_section *section, uint64_t row,
				      const char *column);

/* A copy of a text that goes away. */
struct table_value report_copy(struct report_answer *answer, const char *text);
/* Whether rows of the stream say that a call failed. */
bool report_knows_errors(const struct report *report, enum stream_id stream);
/* Whether the operation had a probe, as far as the manifest tells. */
bool report_sees(const struct report *report, enum stream_id stream, const char *operation);
/* Seconds of the report, as a divisor: not 0. */
double report_seconds(const struct report *report);
