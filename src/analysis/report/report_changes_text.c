/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is said of two traces on at most two screens: only what differs for certain. */
#include "analysis/report/report_changes_text.h"

#include "analysis/report/report_changes.h"
#include "analysis/report/report_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIFFERENCES = 14, MAX_FILES = 6, MAX_REMARKS = 6, MAX_FINDINGS = 6 };

static uint64_t count(const struct report_section *differences, enum report_verdict verdict)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < differences->n; i++)
		n += table_is(report_cell(differences, i, "verdict"),
			      report_verdict_name(verdict).text);
	return n;
}

static uint64_t count_differences(const struct report_answer *changes)
{
	const struct report_section *s = report_section(changes, "differences");

	return count(s, REPORT_HIGHER) + count(s, REPORT_LOWER) + count(s, REPORT_NEW) +
	       count(s, REPORT_GONE);
}

void report_print_verdicts(FILE *out, const struct report_answer *changes)
{
	const struct report_section *s = report_section(changes, "differences");
	uint64_t n;

	fprintf(out, "%" PRIu64 " of %" PRIu64 " figures differ", count_differences(changes), s->n);
	n = count(s, REPORT_NOISE);
	if (n)
		fprintf(out, "; %" PRIu64 " differ by no more than noise (95%% intervals overlap)",
			n);
	n = count(s, REPORT_SMALL);
	if (n)
		fprintf(out, "; %" PRIu64 " by less than 10%%", n);
	n = count(s, REPORT_UNSURE);
	if (n)
		fprintf(out, "; of %" PRIu64 " there is too little to tell", n);
	fputs(".", out);
}

/* ---- the traces ---- */

static void put(struct table *text, const struct table_value *value)
{
	if (value->known)
		table_plain_text(text, value->text, value->len);
	else
		fputc('-', text->out);
}

static const struct table_value *trace_row(const struct report_section *traces, const char *name)
{
	for (uint64_t i = 0; i < traces->n; i++)
		if (table_is(&traces->rows[3 * i], name))
			return &traces->rows[3 * i];
	return NULL;
}

static void print_trace(struct table *text, const struct report_section *traces, unsigned which)
{
	static const struct {
		const char *before, *name, *after;
	} parts[] = { { "", "directory", "" },
		      { " (", "host", ")" },
		      { ": ", "rows", " rows" },
		      { ", ", "seconds", " s" } };

	fputs(which == 1 ? "before: " : "after:  ", text->out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct table_value *row = trace_row(traces, parts[i].name);

		if (!row || !row[which].known)
			continue;
		fputs(parts[i].before, text->out);
		put(text, &row[which]);
		fputs(parts[i].after, text->out);
	}
	fputc('\n', text->out);
}

/* What may be the reason of a difference rather than what was done in between. */
static void print_surroundings(struct table *text, const struct report_section *traces)
{
	static const char *const names[] = { "machine_id", "kernel", "machine",
					     "tool",       "state",  "streams" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct table_value *row = trace_row(traces, names[i]);

		if (!row || (row[1].known == row[2].known && row[1].len == row[2].len &&
			     !memcmp(row[1].text, row[2].text, row[1].len)))
			continue;
		fprintf(text->out, "not the same: %s: ", names[i]);
		put(text, &row[1]);
		fputs(" before, ", text->out);
		put(text, &row[2]);
		fputs(" after\n", text->out);
	}
}

static void print_gaps(struct table *text, const struct report_section *gaps)
{
	enum { TRACE, STREAM, KIND, COUNT, TEXT, N };

	for (uint64_t i = 0; i < gaps->n && i < MAX_REMARKS; i++) {
		const struct table_value *row = &gaps->rows[i * N];

		fputs("missing ", text->out);
		put(text, &row[TRACE]);
		fputs(": ", text->out);
		if (row[STREAM].known) {
			put(text, &row[STREAM]);
			fputs(": ", text->out);
		}
		if (row[COUNT].known)
			fprintf(text->out, "%" PRIu64 " ", row[COUNT].u);
		if (table_is(&row[KIND], "lost"))
			fputs(row[COUNT].known ? "events lost: " : "", text->out);
		else if (table_is(&row[KIND], "tier"))
			fputs("tier ", text->out);
		else if (table_is(&row[KIND], "recorded_only"))
			fputs("recorded only: ", text->out);
		put(text, &row[TEXT]);
		fputc('\n', text->out);
	}
	if (gaps->n > MAX_REMARKS)
		fprintf(text->out, "missing: and %" PRIu64 " more: --section lacks\n",
			gaps->n - MAX_REMARKS);
}

/* ---- what changed ---- */

static int print_differences(FILE *out, const struct report_answer *changes)
{
	uint64_t n = count_differences(changes), all = n;
	struct report_section differences = *report_section(changes, "differences");

	fputc('\n', out);
	report_print_verdicts(out, changes);
	fputs("\n", out);
	n = n < MAX_DIFFERENCES ? n : MAX_DIFFERENCES;
	/* of which they are the first */
	differences.n_all = all;
	if (!n)
		return 0;
	fputc('\n', out);
	return report_print_shown(out, &differences, n);
}

/* Each report shows those that stay. */
static int print_findings(FILE *out, const struct report_answer *changes)
{
	struct report_section findings = *report_section(changes, "changed_findings");
	uint64_t n = 0;

	while (n < findings.n && !table_is(report_cell(&findings, n, "change"), "stays"))
		n++;
	findings.n_all = n;
	if (!n)
		return 0;
	fputc('\n', out);
	return report_print_shown(out, &findings, n < MAX_FINDINGS ? n : MAX_FINDINGS);
}

/* Those that are as before are counted. */
static int print_replay(FILE *out, const struct report_answer *changes)
{
	struct report_section figures = *report_section(changes, "replayed_files");
	const struct report_section *counts = report_section(changes, "replay");
	uint64_t equal = count(&figures, REPORT_EQUAL), all = 0;

	fputs("\nrepeated by fio:", out);
	for (uint64_t i = 0; i < counts->n; i++) {
		const struct table_value *row = &counts->rows[2 * i];

		if (i == 1)
			all = row[1].u;
		if (table_is(&row[0], report_verdict_name(REPORT_EQUAL).text))
			equal = row[1].u;
		if (row[1].u)
			fprintf(out, "%s %" PRIu64 " %s", i ? "," : "", row[1].u, row[0].text);
	}
	fputc('\n', out);
	figures.n_all = all - equal;
	if (!figures.n_all)
		return 0;
	fputc('\n', out);
	return report_print_shown(out, &figures,
				  figures.n_all < MAX_FILES ? figures.n_all : MAX_FILES);
}

static int print_files(FILE *out, const struct report_answer *changes)
{
	const struct report_section *files = report_section(changes, "changed_files");

	if (!files)
		return print_replay(out, changes);
	if (!files->n)
		return 0;
	fputc('\n', out);
	return report_print_shown(out, files, files->n < MAX_FILES ? files->n : MAX_FILES);
}

static int print_totals(FILE *out, const struct report_answer *changes)
{
	const struct report_section *totals = report_section(changes, "totals");

	fputc('\n', out);
	return report_print_shown(out, totals, totals->n);
}

int report_print_changes(FILE *out, const struct report_answer *changes)
{
	const struct report_section *traces = report_section(changes, "traces");
	struct table text;
	int err;

	table_begin(&text, out, TABLE_TEXT, NULL, 0);
	print_trace(&text, traces, 1);
	print_trace(&text, traces, 2);
	err = print_totals(out, changes) ?: print_findings(out, changes);
	fputc('\n', out);
	print_surroundings(&text, traces);
	print_gaps(&text, report_section(changes, "lacks"));
	free(text.scratch);
	err = err ?: print_differences(out, changes);
	err = err ?: print_files(out, changes);
	fputs("\nmore: iotracer report BEFORE AFTER --section differences, or -o FILE.html; "
	      "--fleet: side by side\n",
	      out);
	return err;
}
