/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of the differences, and what is told beside them. */
#include "analysis/report/report_changes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report_changed_files.h"
#include "analysis/report/report_changed_findings.h"
#include "analysis/report/report_changed_totals.h"
#include "analysis/report/report_compare.h"
#include "analysis/report/report_replayed.h"

const char *const report_change_names[] = { "totals",           "traces",         "lacks",
					    "changed_findings", "differences",    "changed_files",
					    "replay",           "replayed_files", NULL };

/* ---- in order ---- */

static bool matters(enum report_verdict verdict)
{
	return verdict < REPORT_SMALL;
}

static int compare_differences(const void *x, const void *y)
{
	const struct report_difference *a = x, *b = y;
	double left = a->weight * report_contrast(a->before.value, a->after.value),
	       right = b->weight * report_contrast(b->before.value, b->after.value);
	int order;

	if (matters(a->verdict) != matters(b->verdict))
		return matters(a->verdict) ? -1 : 1;
	if (left != right)
		return left > right ? -1 : 1;
	order = strcmp(a->kind, b->kind);
	if (!order)
		order = memcmp(a->name.text, b->name.text,
			       a->name.len < b->name.len ? a->name.len : b->name.len);
	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

static struct table_value as_value(const struct report_difference *d, bool known, double value)
{
	struct table_value cell = table_number((uint64_t)(value + .5));

	cell.known = known;
	cell.type = (uint8_t)d->type;
	return cell;
}

static void add_differences(struct report_comparison *c)
{
	static const struct report_column columns[] = {
		{ "kind", TABLE_NAME, REPORT_SHOWN },
		{ "name", TABLE_NAME, REPORT_WIDE },
		{ "measure", TABLE_NAME, REPORT_SHOWN },
		{ "before", TABLE_EACH, REPORT_SHOWN },
		{ "before_low", TABLE_EACH, REPORT_EXACT },
		{ "before_high", TABLE_EACH, REPORT_EXACT },
		{ "after", TABLE_EACH, REPORT_SHOWN },
		{ "after_low", TABLE_EACH, REPORT_EXACT },
		{ "after_high", TABLE_EACH, REPORT_EXACT },
		{ "change", TABLE_CHANGE, REPORT_SHOWN },
		{ "verdict", TABLE_NAME, REPORT_SHOWN },
	};
	struct report_section *section = report_section_add(c->changes, "differences",
							    "differences, those that matter first",
							    columns,
							    sizeof(columns) / sizeof(columns[0]));

	if (c->n)
		qsort(c->list, c->n, sizeof(*c->list), compare_differences);
	for (unsigned i = 0; i < c->n; i++) {
		const struct report_difference *d = &c->list[i];
		const struct estimate *e[2] = { &d->before, &d->after };
		struct table_value *row = report_section_row(c->changes, section);

		if (!row)
			return;
		row[0] = table_text(d->kind);
		row[1] = d->name;
		row[2] = table_text(d->measure);
		for (unsigned t = 0; t < 2; t++) {
			row[3 + 3 * t] = as_value(d, e[t]->known, e[t]->value);
			row[4 + 3 * t] = as_value(d, e[t]->bounded, e[t]->low);
			row[5 + 3 * t] = as_value(d, e[t]->bounded, e[t]->high);
		}
		if (d->before.known && d->after.known)
			row[9] = report_relative_change(d->before.value, d->after.value);
		row[10] = report_verdict_name(d->verdict);
	}
}

/* ---- the traces ---- */

/* The value of a name in a table of names and values. */
static struct table_value named(const struct report_section *section,
				const struct table_value *name)
{
	for (uint64_t i = 0; i < section->n; i++) {
		const struct table_value *row = &section->rows[2 * i];

		if (row[0].len == name->len && !memcmp(row[0].text, name->text, name->len))
			return row[1];
	}
	return (struct table_value){ .known = false };
}

static void add_traces(struct report_comparison *c)
{
	static const struct report_column columns[] = { { "name", TABLE_NAME, REPORT_SHOWN },
							{ "before", TABLE_NAME, REPORT_SHOWN },
							{ "after", TABLE_NAME, REPORT_WIDE } };
	const struct report_section *s[2] = { report_section(c->answers[0], "trace"),
					      report_section(c->answers[1], "trace") };
	struct report_section *section = report_section_add(c->changes, "traces", "the two traces",
							    columns, 3);

	for (unsigned t = 0; t < 2; t++)
		for (uint64_t i = 0; i < s[t]->n; i++) {
			const struct table_value *pair = &s[t]->rows[2 * i];
			struct table_value other = named(s[!t], &pair[0]), *row;

			if (t && other.known)
				continue;
			row = report_section_row(c->changes, section);
			if (!row)
				return;
			row[0] = pair[0];
			row[1 + t] = pair[1];
			row[2 - t] = other;
		}
}

static bool same_text(const struct table_value *a, const struct table_value *b)
{
	return a->known == b->known && a->len == b->len &&
	       (!a->len || !memcmp(a->text, b->text, a->len));
}

static bool has_row(const struct report_section *section, const struct table_value *row)
{
	for (uint64_t i = 0; i < section->n; i++) {
		const struct table_value *other = &section->rows[i * section->n_columns];

		if (same_text(&other[0], &row[0]) && same_text(&other[1], &row[1]) &&
		    other[2].known == row[2].known && other[2].u == row[2].u &&
		    same_text(&other[3], &row[3]))
			return true;
	}
	return false;
}

/* What can be said against a stream that the other one has not at all is no difference. */
static bool is_alone(const struct report_section *other, const struct table_value *lack)
{
	for (uint64_t i = 0; i < other->n; i++) {
		const struct table_value *row = &other->rows[i * other->n_columns];

		if (row[0].known && same_text(&row[0], &lack[0]) && table_is(&row[1], "stream"))
			return !table_is(&lack[1], "lost");
	}
	return false;
}

/* What only one of them lacks, and may be the difference; and all losses. */
static void add_lacks(struct report_comparison *c)
{
	static const struct report_column columns[] = {
		{ "trace", TABLE_NAME, REPORT_SHOWN }, { "stream", TABLE_NAME, REPORT_SHOWN },
		{ "kind", TABLE_NAME, REPORT_SHOWN },  { "count", TABLE_COUNT, REPORT_SHOWN },
		{ "text", TABLE_NAME, REPORT_WIDE },
	};
	const struct report_section *s[2] = { report_section(c->answers[0], "missing"),
					      report_section(c->answers[1], "missing") };
	struct report_section *section =
		report_section_add(c->changes, "lacks", "what only one of them lacks, or was lost",
				   columns, 5);

	for (unsigned t = 0; t < 2; t++)
		for (uint64_t i = 0; i < s[t]->n; i++) {
			const struct table_value *lack = &s[t]->rows[i * s[t]->n_columns];
			struct table_value *row;

			if ((has_row(s[!t], lack) && !table_is(&lack[1], "lost")) ||
			    is_alone(s[!t], lack))
				continue;
			row = report_section_row(c->changes, section);
			if (!row)
				return;
			row[0] = table_text(t ? "after" : "before");
			memcpy(&row[1], lack, 4 * sizeof(*row));
		}
}

/* A replay has other names for the files. */
static void add_files(struct report_comparison *c, struct report *const reports[2])
{
	const struct report_losses losses[2] = { c->losses[0][STREAM_fs], c->losses[1][STREAM_fs] };

	if (reports[0]->replayed)
		report_add_replayed(c->changes, reports, losses);
	else
		report_add_changed_files(c->changes, reports,
					 losses[0].lost + losses[1].lost == 0 &&
						 !losses[0].unknown && !losses[1].unknown);
}

int report_changes_make(struct report_answer *changes, const struct report_answer *before,
			const struct report_answer *after)
{
	struct report_comparison c = { .changes = changes,
				       .answers = { before, after },
				       .reports = { before->report, after->report } };

	report_begin_totals(changes);
	add_traces(&c);
	add_lacks(&c);
	report_add_changed_findings(changes, before, after);
	report_compare(&c);
	report_add_totals(&c);
	add_differences(&c);
	add_files(&c, (struct report *const[2]){ before->report, after->report });
	free(c.list);
	return changes->no_memory ? -ENOMEM : 0;
}
