/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the printing of files share. */
#pragma once

#include "analysis/files/files_identity.h"

struct files_printer {
	const struct files_answer *answer;
	const struct files_view *view;
	const struct wall *walls; /* by source */
	struct table table;
	struct table_column columns[TABLE_MAX_COLUMNS];
	unsigned n_columns;
	unsigned
		sorted_by; /* of sums for people: the column that stands first; N_FILES_SUM_COLUMNS: none */
};

static inline void files_printer_column(struct files_printer *p, const char *name,
					enum table_type type)
{
	p->columns[p->n_columns++] = (struct table_column){ name, type };
}

/* What entries are sorted by: the higher number first, or the lower name. */
struct files_sorted {
	const struct files_entry *entry;
	bool known;
	uint64_t number;
	const char *text;
};

/* A bucket with its name. */
struct files_bucket {
	enum files_metric metric;
	const char *call;
	unsigned bucket;
	const struct histogram_bucket *value;
};
