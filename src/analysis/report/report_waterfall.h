/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the slowest operations waited for, as bars on the page. */
#pragma once

#include "analysis/report/report_page.h"

/* The rules of its colours. */
extern const char report_waterfall_css[];
void report_page_waterfall(struct report_page *page);
