/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report as a page. */
#pragma once

#include "analysis/report/report_page.h"
#include "analysis/report/report_print.h"

/* A table of all rows; with the class of the details it is in, NULL: it is not closed. */
void report_page_section(struct report_page *page, const struct report_section *section,
			 const char *closed);

/* A page that needs nothing but itself. changes: of two of them, NULL: they are not compared. */
int report_print_html(FILE *out, const struct report_answer *const *answers, unsigned n,
		      const struct report_answer *changes);
