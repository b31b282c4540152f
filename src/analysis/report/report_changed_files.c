/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which file of one trace is which of the other, and how much more or less was moved through it. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report/report_changes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_columns.h"
#include "analysis/files/files_print.h"

struct changed {
	const struct files_entry *entries[2]; /* NULL: it is not in that one */
	uint64_t difference;
};

static int by_name(const struct files_entry *a, const struct files_entry *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int order = memcmp(a->name, b->name, len);

	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

/* Mount namespaces have other numbers in each boot: files of the same name keep their order. */
static int compare_names(const void *x, const void *y)
{
	const struct files_entry *a = *(const struct files_entry *const *)x,
				 *b = *(const struct files_entry *const *)y;
	int order = by_name(a, b);

	return order ? order : a->mntns < b->mntns ? -1 : a->mntns > b->mntns;
}

static const struct files_entry **sorted(const struct files_answer *answer)
{
	const struct files_entry **list = malloc((answer->n + 1) * sizeof(*list));

	for (uint64_t i = 0; list && i < answer->n; i++)
		list[i] = &answer->entries[i];
	if (list)
		qsort(list, answer->n, sizeof(*list), compare_names);
	return list;
}

static uint64_t bytes_of(const struct files_entry *entry)
{
	return entry ? files_sum_bytes(entry->cell) : 0;
}

static int compare_changes(const void *x, const void *y)
{
	const struct changed *a = x, *b = y;

	if (a->difference != b->difference)
		return a->difference > b->difference ? -1 : 1;
	return by_name(a->entries[0] ? a->entries[0] : a->entries[1],
		       b->entries[0] ? b->entries[0] : b->entries[1]);
}

/* Both lists side by side, as in a merge; what moved no more and no less is left out. */
static uint64_t pair_up(const struct files_answer answers[2], const struct files_entry **lists[2],
			struct changed *changed)
{
	uint64_t at[2] = { 0, 0 }, n = 0;

	while (at[0] < answers[0].n || at[1] < answers[1].n) {
		int order = at[0] == answers[0].n ? 1 :
			    at[1] == answers[1].n ? -1 :
						    by_name(lists[0][at[0]], lists[1][at[1]]);
		struct changed *c = &changed[n];
		uint64_t before, after;

		c->entries[0] = order <= 0 ? lists[0][at[0]++] : NULL;
		c->entries[1] = order >= 0 ? lists[1][at[1]++] : NULL;
		before = bytes_of(c->entries[0]);
		after = bytes_of(c->entries[1]);
		c->difference = before > after ? before - after : after - before;
		n += c->difference > 0;
	}
	qsort(changed, n, sizeof(*changed), compare_changes);
	return n;
}

static void add_row(struct report_answer *changes, struct report_section *section,
		    const struct changed *c, bool sure)
{
	static const enum files_sum_column sums[] = { FILES_READ_BYTES, FILES_WRITE_BYTES,
						      FILES_READS, FILES_WRITES };
	const struct files_entry *any = c->entries[0] ? c->entries[0] : c->entries[1];
	struct table_value *row = report_section_row(changes, section);
	struct estimate values[2];

	if (!row)
		return;
	for (unsigned t = 0; t < 2; t++) {
		uint64_t bytes = bytes_of(c->entries[t]);

		values[t] = (struct estimate){ true, sure, (double)bytes, (double)bytes,
					       (double)bytes };
		row[1 + t] = table_number(bytes);
		for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
			row[5 + 2 * i + t] = c->entries[t] ?
						     files_sum_value(c->entries[t]->cell, sums[i]) :
						     table_number(0);
	}
	/* a file lives as long as its model, and its name with it */
	row[0] = report_text(any->name, any->len);
	row[3] = report_relative_change(values[0].value, values[1].value);
	row[4] = report_verdict_name(report_verdict(&values[0], &values[1]));
}

static int make_answer(struct files_answer *answer, const struct report *report)
{
	const struct files_source source = { report->host, report->files.models,
					     report->files.n_models };

	answer->by = FILES_BY_FILE;
	return files_answer_make(answer, &source, 1);
}

void report_add_changed_files(struct report_answer *changes, const struct report *before,
			      const struct report *after, bool sure)
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
		report_section_add(changes, "changed_files",
				   "files by how much more or less was moved", columns,
				   sizeof(columns) / sizeof(columns[0]));
	struct files_answer answers[2] = { { .n = 0 }, { .n = 0 } };
	const struct files_entry **lists[2] = { NULL, NULL };
	struct changed *changed = NULL;
	uint64_t n = 0;

	if (!before->has_files || !after->has_files)
		return;
	if (!make_answer(&answers[0], before) && !make_answer(&answers[1], after)) {
		lists[0] = sorted(&answers[0]);
		lists[1] = sorted(&answers[1]);
		changed = malloc((answers[0].n + answers[1].n + 1) * sizeof(*changed));
	}
	if (lists[0] && lists[1] && changed)
		n = pair_up(answers, lists, changed);
	else
		changes->no_memory = true;
	for (uint64_t i = 0; i < n && (!changes->top || i < changes->top); i++)
		add_row(changes, section, &changed[i], sure);
	section->n_all = n;
	free(changed);
	free(lists[0]);
	free(lists[1]);
	files_answer_free(&answers[0]);
	files_answer_free(&answers[1]);
}
