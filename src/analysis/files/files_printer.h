/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the printing of files share. */
#ifndef IOT_FILES_PRINTER_H
#define IOT_FILES_PRINTER_H

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

/* All entries of the answer; free it. NULL without memory. */
struct files_sorted *files_sort(const struct files_answer *answer, const char *column);

/* The same for one entry, and which of two comes first. */
void files_sort_key(struct files_sorted *sorted, const struct files_entry *entry,
		    const char *column);
int files_sort_compare(const struct files_sorted *a, const struct files_sorted *b,
		       const char *column);
/* Their names alone: those of two traces, for example. */
int files_name_compare(const struct files_entry *a, const struct files_entry *b);

/* A bucket with its name. */
struct files_bucket {
	enum files_metric metric;
	const char *call;
	unsigned bucket;
	const struct histogram_bucket *value;
};

extern const char *const files_metrics[N_FILES_METRICS + 1]; /* ended by NULL */
/* By metric, call and bucket, as many as the cell's histogram has; free it. */
struct files_bucket *files_buckets(const struct files_entry *entry);

/* The tables: their columns, and the rows of an entry. */
void files_sums_begin(struct files_printer *p);
void files_sums_print(struct files_printer *p, const struct files_entry *entry);
void files_people_begin(struct files_printer *p);
void files_people_print(struct files_printer *p, const struct files_entry *entry);
void files_errors_begin(struct files_printer *p);
void files_errors_print(struct files_printer *p, const struct files_entry *entry);
void files_histograms_begin(struct files_printer *p);
void files_histograms_print(struct files_printer *p, const struct files_entry *entry);

#endif
