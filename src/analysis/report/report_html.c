/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the page: one file that needs no other, forbids itself any request, and has
 * every number of its charts in a table.
 */
#include "analysis/report/report_html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/xml_text.h"
#include "analysis/report/report_changes_text.h"
#include "analysis/report/report_charts.h"
#include "analysis/report/report_histograms.h"
#include "analysis/report/report_page_text.h"
#include "analysis/report/report_waterfall.h"

/* ---- tables ---- */

enum { LONG = 40 }; /* bytes */

/* What people read; the exact number is its title, which is also what it is sorted by. */
static void put_cell(struct report_page *page, enum table_type column,
		     const struct table_value *value)
{
	enum table_type type = table_type_of(column, value);
	char exact[TABLE_NUMBER_SIZE];

	if (type == TABLE_NAME) {
		/* long ones may be broken, words not */
		fputs(value->len > LONG ? "<td class=w>" : "<td>", page->out);
		if (value->known)
			report_page_text(page, value->text, value->len);
	} else if (!value->known) {
		fputs("<td class=n>-", page->out);
	} else {
		table_exact(exact, type, value->u);
		fprintf(page->out, "<td class=n title=\"%s\">", exact);
		report_page_number(page, type, value->u);
	}
}

static void put_head(struct report_page *page, const struct report_section *section)
{
	fprintf(page->out, "<table><caption>%s", section->title);
	if (section->n < section->n_all)
		fprintf(page->out, ": %" PRIu64 " of %" PRIu64, section->n, section->n_all);
	fputs("</caption>\n<thead><tr>", page->out);
	for (unsigned i = 0; i < section->n_columns; i++)
		fprintf(page->out, "<th scope=col%s><button type=button>%s</button>",
			section->columns[i].type == TABLE_NAME ? "" : " class=n",
			section->columns[i].name);
	fputs("<tbody>\n", page->out);
}

void report_page_section(struct report_page *page, const struct report_section *section,
			 const char *closed)
{
	if (!section->n)
		return;
	if (closed)
		fprintf(page->out, "<details class=\"%s\"><summary>%s</summary>\n", closed,
			section->title);
	fputs("<div class=scroll tabindex=0 role=region aria-label=\"", page->out);
	fprintf(page->out, "%s\">", section->title);
	put_head(page, section);
	for (uint64_t i = 0; i < section->n && !ferror(page->out); i++) {
		fputs("<tr>", page->out);
		for (unsigned c = 0; c < section->n_columns; c++)
			put_cell(page, section->columns[c].type,
				 &section->rows[i * section->n_columns + c]);
		fputs("</tr>\n", page->out);
	}
	fputs("</table></div>\n", page->out);
	if (closed)
		fputs("</details>\n", page->out);
}

/* ---- parts ---- */

static const struct {
	const char *section;
	const char *title;
} parts[] = {
	{ "findings", "What is wrong" },
	{ "missing", "What is missing" },
	{ "layers", "Layers over time" },
	{ "operations", "Operations" },
	{ "why", "Where the time went" },
	{ "slowest", "The slowest operations" },
	{ "stacks", "Where in programs the time went" },
	{ "files", "Files" },
	{ "directories", "Directories" },
	{ "sizes", "Sizes and latencies of files" },
	{ "programs", "Programs" },
	{ "containers", "Containers" },
	{ "processes", "Processes" },
	{ "errors", "What failed" },
	{ "open", "Open at the end" },
	{ "devices", "Devices" },
	{ "bios", "Devices made of bios" },
	{ "servers", "Servers of network file systems" },
	{ "amplification", "Amplification" },
	{ "owners", "Who caused what devices did" },
	{ "cache", "Page cache" },
	{ "faults", "Page faults" },
	{ "connections", "Connections" },
	{ "uring", "io_uring" },
	{ "sched", "Threads on CPUs" },
	{ "counted", "What layers counted" },
	{ "machine", "The machine" },
};

enum {
	N_PARTS = sizeof(parts) / sizeof(parts[0]),
	N_ABOVE = 2 /* findings, missing: before all others */
};

static void put_nav(struct report_page *page)
{
	fputs("<nav aria-label=\"parts\">", page->out);
	for (unsigned i = 0; i < N_PARTS; i++)
		if (report_section(page->answer, parts[i].section)->n)
			fprintf(page->out, "<a href=\"#t%u-%s\">%s</a>\n", page->number,
				parts[i].section, parts[i].title);
	fputs("</nav>\n", page->out);
}

static void put_answers(struct report_page *page)
{
	const struct report_section *answers = report_section(page->answer, "answers");

	fputs("<ul class=answers>\n", page->out);
	for (uint64_t i = 0; i < answers->n; i++) {
		const struct table_value *row = &answers->rows[2 * i];

		fputs("<li><b>", page->out);
		for (size_t c = 0; c < row[0].len; c++)
			fputc(row[0].text[c] == '_' ? ' ' : row[0].text[c], page->out);
		fputs(":</b> ", page->out);
		report_page_text(page, row[1].text, row[1].len);
		fputc('\n', page->out);
	}
	fputs("</ul>\n", page->out);
}

/* With the anchor of its table, which it is instead of */
static void put_findings(struct report_page *page)
{
	const struct report_section *s = report_section(page->answer, "findings");

	if (!s->n)
		return;
	fprintf(page->out,
		"<section aria-labelledby=\"t%u-findings\"><h2 id=\"t%u-findings\">What is wrong</h2>\n<ol class=findings>\n",
		page->number, page->number);
	for (uint64_t i = 0; i < s->n; i++) {
		const struct table_value *row = &s->rows[i * s->n_columns];

		fprintf(page->out, "<li><b%s>%.*s, %.0f&#8239;%%</b> ",
			table_is(&row[1], "high") ? " class=bad" : "", (int)row[1].len, row[1].text,
			(double)row[2].u / 1e4);
		report_page_text(page, row[4].text, row[4].len);
		fputs("<br><span class=dim>", page->out);
		report_page_text(page, row[5].text, row[5].len);
		fputs("</span><br><code>", page->out);
		report_page_text(page, row[6].text, row[6].len);
		fputs("</code>\n", page->out);
	}
	fputs("</ol></section>\n", page->out);
}

/* One line, which opens */
static void put_missing(struct report_page *page)
{
	const struct report_section *missing = report_section(page->answer, "missing");

	if (!missing->n)
		return;
	fprintf(page->out,
		"<details id=\"t%u-missing\"><summary>What is missing: %" PRIu64
		" remarks</summary>\n",
		page->number, missing->n);
	report_page_section(page, missing, NULL);
	fputs("</details>\n", page->out);
}

static void put_tools(struct report_page *page)
{
	const struct report *r = page->answer->report;
	unsigned fold = report_page_fold(r, REPORT_PAGE_SPANS);
	unsigned n = (r->tally.bins.n + fold - 1) / fold;

	fprintf(page->out, "<div class=tools data-of=t%u data-width=%" PRIu64 ">", page->number,
		time_bins_width(&r->tally.bins) * fold);
	/* of one span there is nothing to select */
	if (n > 1)
		fprintf(page->out,
			"<label>from <input type=range min=0 max=%u value=0></label>\n"
			"<label>to <input type=range min=0 max=%u value=%u></label>\n"
			"<output aria-live=polite></output> "
			"<button type=button name=all>all of it</button>\n",
			n, n, n);
	fputs("<button type=button name=theme>light or dark</button></div>\n", page->out);
}

static void put_charts(struct report_page *page, const char *section)
{
	if (!strcmp(section, "layers"))
		report_page_over_time(page);
	else if (!strcmp(section, "operations"))
		report_page_heat(page);
	else if (!strcmp(section, "slowest"))
		report_page_waterfall(page);
	else if (!strcmp(section, "devices"))
		report_page_device_heat(page);
	else if (!strcmp(section, "sizes"))
		report_page_sizes(page);
}

static void put_trace(struct report_page *page)
{
	const struct report_answer *answer = page->answer;

	fprintf(page->out, "<article id=t%u>\n<h1>", page->number);
	report_page_string(page, answer->report->session.dir);
	fputs("</h1>\n", page->out);
	put_nav(page);
	put_findings(page);
	put_answers(page);
	put_missing(page);
	report_page_section(page, report_section(answer, "trace"), "trace");
	put_tools(page);
	for (unsigned i = 0; i < N_PARTS; i++) {
		const struct report_section *section = report_section(answer, parts[i].section);

		if (!section->n || i < N_ABOVE)
			continue;
		fprintf(page->out,
			"<section aria-labelledby=\"t%u-%s\"><h2 id=\"t%u-%s\">%s</h2>\n",
			page->number, section->name, page->number, section->name, parts[i].title);
		put_charts(page, section->name);
		report_page_section(page, section, NULL);
		fputs("</section>\n", page->out);
	}
	fputs("</article>\n", page->out);
}

/* What changed comes first, by the same tables as everywhere. */
static void put_changes(struct report_page *page, const struct report_answer *changes)
{
	static const struct {
		const char *section;
		const char *title;
	} of_changes[] = {
		{ "totals", "In short" },
		{ "changed_findings", "What is wrong, before and after" },
		{ "differences", "Differences" },
		{ "changed_files", "Files by change" },
		{ "replay", "How well fio repeated it" },
		{ "replayed_files", "Files that fio repeated" },
		{ "lacks", "What only one of them lacks" },
		{ "traces", "The two traces" },
	};

	fputs("<article id=changes>\n<h1>Before and after</h1>\n<p>", page->out);
	report_print_verdicts(page->out, changes);
	fputs(" <a href=\"#t1\">before</a>, <a href=\"#t2\">after</a>\n", page->out);
	for (size_t i = 0; i < sizeof(of_changes) / sizeof(of_changes[0]); i++) {
		const struct report_section *s = report_section(changes, of_changes[i].section);

		if (!s || !s->n)
			continue;
		fprintf(page->out, "<section aria-labelledby=\"c-%s\"><h2 id=\"c-%s\">%s</h2>\n",
			s->name, s->name, of_changes[i].title);
		report_page_section(page, s, NULL);
		fputs("</section>\n", page->out);
	}
	fputs("</article>\n", page->out);
}

int report_print_html(FILE *out, const struct report_answer *const *answers, unsigned n,
		      const struct report_answer *changes)
{
	struct report_page page = { .out = out };

	table_begin(&page.text, out, TABLE_TEXT, NULL, 0);
	fputs("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
	      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	      "<title>iotracer report</title>\n<style>\n",
	      out);
	fputs(report_page_css, out);
	fputs(report_waterfall_css, out);
	fputs(report_histograms_css, out);
	fputs("</style>\n<main>\n", out);
	if (changes)
		put_changes(&page, changes);
	for (unsigned i = 0; i < n; i++) {
		page.answer = answers[i];
		page.number = i + 1;
		put_trace(&page);
	}
	fputs("</main>\n<script>\n", out);
	fputs(report_page_js, out);
	fputs("</script>\n</html>\n", out);
	free(page.text.scratch);
	return page.text.no_memory ? -ENOMEM : 0;
}
