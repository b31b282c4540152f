/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The histograms of the page, and what its charts have at their side. */
#pragma once

#include "analysis/report/report_page.h"

enum { REPORT_CHART_HEIGHT = 100 };

extern const char report_histograms_css[];

/* Numbers at the left of a chart, of <figure class=s>: the highest, half of it, 0; both: 0 is in the middle. */
void report_page_scale(struct report_page *page, enum table_type type, uint64_t most, bool both);
/* Lines at the first two of these, in a chart of that many units. */
void report_page_grid(struct report_page *page, uint64_t width);
void report_page_sizes(struct report_page *page);
