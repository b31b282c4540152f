/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns of each stream a report is made of, and what a row of them counts as. */
#pragma once

#include "analysis/common/row_filter.h"
#include "analysis/report/report_fields.h"
#include "analysis/report/report_take.h"
#include "read/layout.h"

struct report;

/* All that are read, up to n of them. */
extern const struct report_source report_sources[];
extern const unsigned report_n_sources;

/* The file of a row of cache; NULL: none, or no memory. */
struct report_item *report_cached_file(struct report_tally *tally, const struct field *fields);
/* What the row did to the pages of a file; NULL: of none. */
void report_count_pages(struct report_item *file, const struct field *fields);
