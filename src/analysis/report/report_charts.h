/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The charts of the page. */
#pragma once

#include "analysis/report/report_page.h"

/* How many spans of the tally a span of the charts is. */
unsigned report_page_fold(const struct report *report, unsigned spans);
void report_page_over_time(struct report_page *page);
void report_page_heat(struct report_page *page);
void report_page_device_heat(struct report_page *page);
