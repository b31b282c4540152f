/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of each view of `iotracer top`, and an interval as a table of them. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "analysis/common/table.h"
#include "analysis/top/top_model.h"

/* An interval that is over, as one view of it. */
struct top_round {
	enum top_view view;
	enum top_sort sort;
	bool frozen; /* others came since */
	time_t wall; /* its end */
	uint64_t ns;
	const struct top_file *file; /* whose users the rows are; NULL: of none */
	const struct top_row *rows;  /* in their order */
	unsigned n;
	struct top_sums sums;
	double own_cpu; /* per cent of one, of this process */
};

/* Rounded, so that a single one in two seconds is not none. */
uint64_t top_per_second(uint64_t n, uint64_t ns);

/* For people: rates. The last column is the name. */
unsigned top_columns(enum top_view view, const struct table_column **columns);
void top_values(const struct top_round *round, const struct top_row *row,
		struct table_value values[TABLE_MAX_COLUMNS]);

/* At most n_rows (0: all). first: nothing was printed before. Returns 0 or an errno. */
int top_print(const struct top_round *round, FILE *out, enum table_format format, unsigned n_rows,
	      bool first);
