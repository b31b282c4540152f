/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns which file of one trace is which of the other, and how much more or less was moved through
 * it.
 */
#include "analysis/report/report_changed_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/common/grow.h"
#include "analysis/files/files_columns.h"
#include "analysis/files/files_printer.h"
#include "analysis/files/files_sort.h"
#include "analysis/report/report_compare.h"
#include "analysis/report/report_side.h"

enum { N_SUMS = 4, KEPT_AT_LEAST = 4096 };

static const enum files_sum_column sums[N_SUMS] = { FILES_READ_BYTES, FILES_WRITE_BYTES,
						    FILES_READS, FILES_WRITES };

/* ---- what changed most ---- */

struct changed {
	char *name;
	size_t len;
	uint64_t difference;
	uint64_t bytes[2];
	struct table_value sums[N_SUMS][2];
};

struct changes {
	struct changed *list;
	uint64_t n, max;
	uint64_t top;   /* the others are forgotten; 0: all stay */
	uint64_t n_all; /* with them */
};

static int compare_changes(const void *x, const void *y)
{
	const struct changed *a = x, *b = y;
	int order;

	if (a->difference != b->difference)
		return a->difference > b->difference ? -1 : 1;
	order = compare_text(a->name, a->len, b->name, b->len);
	/* of one name in several namespaces */
	return order ? order : (a->bytes[0] > b->bytes[0]) - (a->bytes[0] < b->bytes[0]);
}

static void keep_top(struct changes *changes)
{
	if (changes->n)
		qsort(changes->list, changes->n, sizeof(*changes->list), compare_changes);
	while (changes->top && changes->n > changes->top)
		free(changes->list[--changes->n].name);
}

static struct changed *next_place(struct changes *changes)
{
	if (changes->n && changes->n == changes->max && changes->top &&
	    changes->top <= changes->max / 2)
		keep_top(changes);
	if (!grow(&changes->list, &changes->max, changes->n + 1, KEPT_AT_LEAST,
		  sizeof(*changes->list)))
		return NULL;
	return &changes->list[changes->n];
}

/* entries: NULL of the trace that it is not in. What moved no more and no less is left out. False without memory. */
static bool add_change(struct changes *changes, const struct files_entry *const entries[2])
{
	const struct files_entry *any = entries[0] ? entries[0] : entries[1];
	uint64_t before = entries[0] ? files_sum_bytes(entries[0]->cell) : 0,
		 after = entries[1] ? files_sum_bytes(entries[1]->cell) : 0;
	struct changed *c;

	if (before == after)
		return true;
	c = next_place(changes);
	if (!c)
		return false;
	*c = (struct changed){ .name = malloc(any->len + 1),
			       .len = any->len,
			       .difference = before > after ? before - after : after - before,
			       .bytes = { before, after } };
	if (!c->name)
		return false;
	memcpy(c->name, any->name, any->len);
	for (unsigned i = 0; i < N_SUMS; i++)
		for (unsigned t = 0; t < 2; t++)
			c->sums[i][t] = entries[t] ? files_sum_value(entries[t]->cell, sums[i]) :
						     table_number(0);
	changes->n++;
	changes->n_all++;
	return true;
}

/* Both side by side, as in a merge. False without memory, or what a temporary file gave. */
static bool pair_up(struct report_side sides[2], struct changes *changes)
{
	while (sides[0].has || sides[1].has) {
		int order = !sides[0].has ? 1 :
			    !sides[1].has ? -1 :
					    files_name_compare(&sides[0].entry, &sides[1].entry);
		const struct files_entry *entries[2] = { order <= 0 ? &sides[0].entry : NULL,
							 order >= 0 ? &sides[1].entry : NULL };

		if (!add_change(changes, entries))
			return false;
		for (unsigned t = 0; t < 2; t++)
			if (entries[t])
				report_side_next(&sides[t]);
	}
	keep_top(changes);
	return (!sides[0].runs || !sides[0].runs->err) && (!sides[1].runs || !sides[1].runs->err);
}

static void add_row(struct report_answer *answer, struct report_section *section,
		    const struct changed *c, bool sure)
{
	struct table_value *row = report_section_row(answer, section);
	struct estimate values[2];

	if (!row)
		return;
	for (unsigned t = 0; t < 2; t++) {
		double bytes = (double)c->bytes[t];

		values[t] = (struct estimate){ true, sure, bytes, bytes, bytes };
		row[1 + t] = table_number(c->bytes[t]);
		for (unsigned i = 0; i < N_SUMS; i++)
			row[5 + 2 * i + t] = c->sums[i][t];
	}
	row[0] = table_bytes(pool_text(&answer->pool, c->name, c->len), c->len);
	if (!row[0].text) {
		row[0].known = false;
		answer->no_memory = true;
	}
	row[3] = report_relative_change(values[0].value, values[1].value);
	row[4] = report_verdict_name(report_verdict(&values[0], &values[1]));
}

static void add_changes(struct report_answer *answer, struct report_section *section,
			struct report *const reports[2], bool sure)
{
	struct changes changes = { .top = answer->top };
	struct report_side sides[2] = { { .at = 0 }, { .at = 0 } };

	if (report_side_open(&sides[0], reports[0]) || report_side_open(&sides[1], reports[1]) ||
	    !pair_up(sides, &changes))
		answer->no_memory = true;
	for (uint64_t i = 0; i < changes.n; i++)
		add_row(answer, section, &changes.list[i], sure);
	section->n_all = changes.n_all;
	while (changes.n)
		free(changes.list[--changes.n].name);
	free(changes.list);
	report_side_close(&sides[0]);
	report_side_close(&sides[1]);
}

void report_add_changed_files(struct report_answer *answer, struct report *const reports[2],
			      bool sure)
{
	static const struct report_column columns[] = {
		{ "filename", TABLE_NAME, REPORT_WIDE },
		{ "before_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "after_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "change", TABLE_CHANGE, REPORT_SHOWN },
		{ "verdict", TABLE_NAME, REPORT_SHOWN },
		{ "before_read_bytes", TABLE_BYTES, REPORT_EXACT },
		{ "after_read_bytes", TABLE_BYTES, REPORT_EXACT },
		{ "before_write_bytes", TABLE_BYTES, REPORT_EXACT },
		{ "after_write_bytes", TABLE_BYTES, REPORT_EXACT },
		{ "before_reads", TABLE_COUNT, REPORT_EXACT },
		{ "after_reads", TABLE_COUNT, REPORT_EXACT },
		{ "before_writes", TABLE_COUNT, REPORT_EXACT },
		{ "after_writes", TABLE_COUNT, REPORT_EXACT },
	};
	struct report_section *section =
		report_section_add(answer, "changed_files",
				   "files by how much more or less was moved", columns,
				   sizeof(columns) / sizeof(columns[0]));

	if (reports[0]->has_files && reports[1]->has_files)
		add_changes(answer, section, reports, sure);
}
