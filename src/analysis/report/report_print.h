/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report as text for a terminal, as CSV and as JSON. */
#ifndef IOT_REPORT_PRINT_H
#define IOT_REPORT_PRINT_H

#include <stdio.h>

#include "analysis/report/report_sections.h"

/* These return 0 or -ENOMEM. */

/* At most two screens. */
int report_print_text(FILE *out, const struct report_answer *answer);
/* Of two traces: what report_changes_make found. At most two screens. */
int report_print_changes(FILE *out, const struct report_answer *changes);
/* How many of the things compared differ, in a sentence. */
void report_print_verdicts(FILE *out, const struct report_answer *changes);
/* The first rows of a section, and the columns that people look at. */
int report_print_shown(FILE *out, const struct report_section *section, uint64_t rows);
/* One section as a table with all of its columns. */
int report_print_section(FILE *out, const struct report_answer *answer, const char *name,
			 enum table_format format);
/* Every value of all sections: section, row, column, value. */
int report_print_csv(FILE *out, const struct report_answer *const *answers, unsigned n);
int report_print_json(FILE *out, const struct report_answer *const *answers, unsigned n,
		      const char *section);
/* Two traces, and what changed between them. */
int report_print_changes_json(FILE *out, const struct report_answer *changes,
			      const struct report_answer *const answers[2], const char *section);
/* A page that needs nothing but itself. changes: of two of them, NULL: they are not compared. */
int report_print_html(FILE *out, const struct report_answer *const *answers, unsigned n,
		      const struct report_answer *changes);

#endif
