/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the HTML page share, and its style and script (made of report_page.css and .js). */
#pragma once

#include "analysis/report/report_print.h"

struct report_page {
	FILE *out;
	const struct report_answer *answer;
	unsigned number; /* of the trace, among those of the page */
	struct table text;
};

enum {
	REPORT_PAGE_NAME = 256,  /* bytes of a name, of a longer one the end */
	REPORT_PAGE_SPANS = 128, /* of a chart over time */
};

/* Whatever it is, it is text there, also within quotes. */
void report_page_text(struct report_page *page, const char *text, size_t len);
void report_page_string(struct report_page *page, const char *text);
void report_page_number(struct report_page *page, enum table_type type, uint64_t u);
