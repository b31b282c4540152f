/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report as text for a terminal, as CSV and as JSON. */
#pragma once

#include <stdio.h>

#include "analysis/report/report_sections.h"

/* These return 0 or -ENOMEM. */

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
