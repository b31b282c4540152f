/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the report that people read in a terminal: what fits two screens, and how to see the rest. */
#include "analysis/report/report_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 46, REMARKS = 6, FINDINGS = 5, SPARKS = 24, ROWS_MIN = 3, ROWS_EACH = 8 };

struct page {
	FILE *out;
	const struct report_answer *answer;
	struct table text; /* to print single texts */
	int left;          /* lines */
	int err;
};

/* ---- texts ---- */

static void put(struct page *page, const struct table_value *value)
{
	if (value->known)
		table_plain_text(&page->text, value->text, value->len);
}

static void put_pair(struct page *page, const char *before, const char *name)
{
	const struct report_section *trace = report_section(page->answer, "trace");

	for (uint64_t i = 0; i < trace->n; i++)
		if (table_is(&trace->rows[2 * i], name)) {
			fputs(before, page->out);
			put(page, &trace->rows[2 * i + 1]);
		}
}

static void end_line(struct page *page)
{
	fputc('\n', page->out);
	page->left--;
}

static void print_pair_line(struct page *page, const char *before, const char *name)
{
	const struct report_section *trace = report_section(page->answer, "trace");

	for (uint64_t i = 0; i < trace->n; i++)
		if (table_is(&trace->rows[2 * i], name)) {
			put_pair(page, before, name);
			end_line(page);
		}
}

static void print_trace(struct page *page)
{
	const struct report *r = page->answer->report;
	char first[WALL_TEXT_SIZE], last[WALL_TEXT_SIZE];

	put_pair(page, "", "directory");
	put_pair(page, " (", "host");
	fprintf(page->out, "%s: %" PRIu64 " rows", r->session.host ? ")" : "", r->rows);
	if (r->rows && wall_text(&r->wall, r->first_ns, first) &&
	    wall_text(&r->wall, r->last_ns, last))
		fprintf(page->out, ", %.19s to %.8s", first, last + 11);
	if (r->rows)
		fprintf(page->out, ", %.3f s", report_seconds(r));
	end_line(page);
	print_pair_line(page, "command: ", "command");
	print_pair_line(page, "recorded only: ", "recorded_only");
	fputs("streams:", page->out);
	put_pair(page, " ", "streams");
	put_pair(page, "; Linux ", "kernel");
	put_pair(page, " ", "machine");
	put_pair(page, ", iotracer ", "tool");
	end_line(page);
}

/* ---- what is missing ---- */

/* Told in one line, or above */
static bool is_standing(const struct table_value *kind)
{
	return table_is(kind, "recorded_only") || table_is(kind, "tier") ||
	       table_is(kind, "cannot_see") || table_is(kind, "not_recorded") ||
	       table_is(kind, "stream");
}

static void print_remark(struct page *page, const struct table_value *row)
{
	fputs("missing: ", page->out);
	if (row[0].known) {
		put(page, &row[0]);
		fputs(": ", page->out);
	}
	if (row[2].known)
		fprintf(page->out, "%" PRIu64 " ", row[2].u);
	if (table_is(&row[1], "lost"))
		fputs(row[2].known ? "events lost: " : "", page->out);
	put(page, &row[3]);
	end_line(page);
}

/* "tier b, 3 limits …": what belongs to the way of tracing, and is no accident */
static void print_standing(struct page *page)
{
	const struct report_section *missing = report_section(page->answer, "missing");
	unsigned limits = 0, unseen = 0, off = 0;
	char tiers[4] = "";

	for (uint64_t i = 0; i < missing->n; i++) {
		const struct table_value *row = &missing->rows[i * missing->n_columns];

		if (table_is(&row[1], "tier") && row[3].len == 1 && strlen(tiers) < 3 &&
		    !memchr(tiers, row[3].text[0], strlen(tiers)))
			tiers[strlen(tiers)] = row[3].text[0];
		limits += table_is(&row[1], "cannot_see");
		unseen += table_is(&row[1], "not_recorded");
		off += table_is(&row[1], "stream");
	}
	fprintf(page->out, "tier %s", tiers[0] ? tiers : "unknown");
	if (limits || unseen)
		fprintf(page->out, "; %u limits of its probes, %u operations without one", limits,
			unseen);
	if (off)
		fprintf(page->out, "; streams not recorded: %u", off);
	fputs(" (--section missing)", page->out);
	end_line(page);
}

static void print_missing(struct page *page)
{
	const struct report_section *missing = report_section(page->answer, "missing");
	unsigned n = 0, shown = 0;

	for (uint64_t i = 0; i < missing->n; i++)
		n += !is_standing(&missing->rows[i * missing->n_columns + 1]);
	for (uint64_t i = 0; i < missing->n; i++) {
		const struct table_value *row = &missing->rows[i * missing->n_columns];

		if (is_standing(&row[1]) || (n > REMARKS && shown == REMARKS - 1))
			continue;
		print_remark(page, row);
		shown++;
	}
	if (shown < n) {
		fprintf(page->out, "missing: and %u more: --section missing", n - shown);
		end_line(page);
	}
}

static void print_answers(struct page *page)
{
	const struct report_section *answers = report_section(page->answer, "answers");

	if (!answers->n)
		return;
	end_line(page);
	for (uint64_t i = 0; i < answers->n; i++) {
		const struct table_value *row = &answers->rows[2 * i];

		if (table_is(&row[0], "missing"))
			continue;
		for (size_t c = 0; c < row[0].len; c++)
			fputc(row[0].text[c] == '_' ? ' ' : row[0].text[c], page->out);
		fputs(": ", page->out);
		put(page, &row[1]);
		end_line(page);
	}
}

/* ---- what is wrong ---- */

/* Two lines each: what it is, and how to see it. */
static void print_findings(struct page *page)
{
	const struct report_section *s = report_section(page->answer, "findings");
	uint64_t shown = s->n < FINDINGS ? s->n : FINDINGS;

	if (shown)
		end_line(page);
	for (uint64_t i = 0; i < shown; i++) {
		const struct table_value *row = &s->rows[i * s->n_columns];

		fprintf(page->out, "%-6.*s %3.0f %%  ", (int)row[1].len, row[1].text,
			(double)row[2].u / 1e4);
		put(page, &row[4]);
		end_line(page);
		fprintf(page->out, "%15s", "");
		put(page, &row[5]);
		fputs(": ", page->out);
		put(page, &row[6]);
		end_line(page);
	}
	if (shown < s->n_all) {
		fprintf(page->out, "and %" PRIu64 " more: --section findings", s->n_all - shown);
		end_line(page);
	}
}

/* ---- tables ---- */

struct printed {
	struct table_column columns[TABLE_MAX_COLUMNS];
	unsigned from[TABLE_MAX_COLUMNS]; /* column of the section */
	char titles[TABLE_MAX_COLUMNS][80];
	unsigned n;
};

/* "read_bytes" is "read" among sizes that have units anyway. */
static void add_column(struct printed *p, const struct report_section *section, unsigned from,
		       uint64_t rows)
{
	static const char *const endings[] = { "_bytes", "_ns" };
	const struct report_column *column = &section->columns[from];
	char *title = p->titles[p->n];
	size_t len = strlen(column->name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && !strcmp(column->name + len - n, endings[i]) &&
		    column->type != TABLE_COUNT)
			len -= n;
	}
	if (column->shown == REPORT_WIDE && rows < section->n_all)
		snprintf(title, sizeof(p->titles[0]), "%.*s (%" PRIu64 " of %" PRIu64 ")", (int)len,
			 column->name, rows, section->n_all);
	else
		snprintf(title, sizeof(p->titles[0]), "%.*s", (int)len, column->name);
	p->columns[p->n] = (struct table_column){ title, column->type };
	p->from[p->n++] = from;
}

static void choose_columns(struct printed *p, const struct report_section *section, uint64_t rows)
{
	p->n = 0;
	for (unsigned shown = REPORT_SHOWN; shown <= REPORT_WIDE; shown++)
		for (unsigned i = 0; i < section->n_columns; i++)
			if (section->columns[i].shown == (enum report_shown)shown)
				add_column(p, section, i, rows);
}

int report_print_shown(FILE *out, const struct report_section *section, uint64_t rows)
{
	struct table_value values[TABLE_MAX_COLUMNS];
	struct printed p;
	struct table table;

	choose_columns(&p, section, rows);
	table_begin(&table, out, TABLE_TEXT, p.columns, p.n);
	for (uint64_t i = 0; i < rows; i++) {
		for (unsigned c = 0; c < p.n; c++)
			values[c] = section->rows[i * section->n_columns + p.from[c]];
		table_row(&table, values);
	}
	return table_end(&table);
}

static void print_table(struct page *page, const struct report_section *section, uint64_t rows)
{
	page->left -= (int)rows + 1;
	page->err = report_print_shown(page->out, section, rows) ?: page->err;
}

/* Those that say most come first; how many rows each gets is what is left of two screens. */
static void print_sections(struct page *page)
{
	static const char *const names[] = {
		"operations", "why",         "stacks",  "files", "programs",
		"containers", "processes",   "devices", "bios",  "servers",
		"owners",     "connections", "uring",   "cache", "sched",
		"counted",    "directories", "faults",  "open"
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	const struct report_section *sections[N];
	uint64_t rows[N] = { 0 };
	int left = page->left - 1;
	bool more = true;

	for (unsigned i = 0; i < N; i++) {
		sections[i] = report_section(page->answer, names[i]);
		rows[i] = sections[i]->n < ROWS_MIN ? sections[i]->n : ROWS_MIN;
		/* one process each: the next table says the same */
		if (!strcmp(names[i], "programs") &&
		    sections[i]->n_all == report_section(page->answer, "processes")->n_all)
			rows[i] = 0;
		if (left < 2 + (int)rows[i])
			rows[i] = 0;
		left -= rows[i] ? 2 + (int)rows[i] : 0;
	}
	for (unsigned round = ROWS_MIN; more && round < ROWS_EACH; round++) {
		more = false;
		for (unsigned i = 0; i < N && left > 0; i++)
			if (rows[i] && rows[i] <= round && rows[i] < sections[i]->n) {
				rows[i]++;
				left--;
				more = true;
			}
	}
	for (unsigned i = 0; i < N; i++)
		if (rows[i]) {
			end_line(page);
			print_table(page, sections[i], rows[i]);
		}
}

/* ---- layers over time ---- */

static void put_spark(char text[SPARKS * 4 + 1], const struct report *r, enum stream_id stream)
{
	static const char *const marks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	uint64_t sums[SPARKS] = { 0 }, most = 1;
	unsigned n = r->tally.bins.n, width = n < SPARKS ? n : SPARKS;

	for (unsigned i = 0; i < n; i++) {
		uint64_t *sum = &sums[(uint64_t)i * width / n];

		*sum += r->tally.streams[stream].over[i][REPORT_OVER_OPERATIONS];
		most = *sum > most ? *sum : most;
	}
	text[0] = '\0';
	for (unsigned i = 0; i < width; i++)
		strcat(text, marks[sums[i] ? 1 + sums[i] * 7 / most : 0]);
}

static void print_layers(struct page *page)
{
	const struct report *r = page->answer->report;
	const struct report_section *layers = report_section(page->answer, "layers");
	struct table_value values[TABLE_MAX_COLUMNS];
	char spark[SPARKS * 4 + 1];
	struct printed p;
	struct table table;

	choose_columns(&p, layers, layers->n);
	p.columns[p.n] = (struct table_column){ "over time", TABLE_NAME };
	table_begin(&table, page->out, TABLE_TEXT, p.columns, p.n + 1);
	for (uint64_t i = 0; i < layers->n; i++) {
		const struct table_value *row = &layers->rows[i * layers->n_columns];
		int stream = schema_find(row[0].text);

		if (stream < 0 || !r->tally.streams[stream].over)
			continue;
		for (unsigned c = 0; c < p.n; c++)
			values[c] = row[p.from[c]];
		put_spark(spark, r, (enum stream_id)stream);
		values[p.n] = table_text(spark);
		table_row(&table, values);
		page->left--;
	}
	end_line(page);
	page->left--;
	page->err = table_end(&table) ?: page->err;
}

int report_print_text(FILE *out, const struct report_answer *answer)
{
	struct page page = { .out = out, .answer = answer, .left = LINES };

	table_begin(&page.text, out, TABLE_TEXT, NULL, 0);
	print_trace(&page);
	print_missing(&page);
	print_findings(&page);
	print_answers(&page);
	print_standing(&page);
	if (answer->report->rows) {
		print_layers(&page);
		print_sections(&page);
	}
	fputs("\nmore: iotracer report DIR --section files, or --json\n", out);
	/* nothing was printed with it but single texts */
	free(page.text.scratch);
	return page.err;
}
