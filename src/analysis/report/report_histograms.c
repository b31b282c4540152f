/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the histograms of the page, and the scale at the side of its charts. */
#include "analysis/report/report_histograms.h"

#include <inttypes.h>
#include <string.h>

const char report_histograms_css[] =
	"figure.s{display:grid;grid-template-columns:3.6rem minmax(0,1fr);column-gap:.3rem;align-content:end}\n"
	"figure.s figcaption{grid-column:1/-1}\n"
	"figure.s .ends{grid-column:2}\n"
	".y{display:flex;flex-direction:column;justify-content:space-between;text-align:right;font-size:.75rem;line-height:1;white-space:nowrap;color:var(--dim)}\n"
	".grid{stroke:var(--dim);stroke-width:1;stroke-opacity:.35;vector-effect:non-scaling-stroke;fill:none}\n";

/* ---- the scale ---- */

void report_page_scale(struct report_page *page, enum table_type type, uint64_t most, bool both)
{
	const uint64_t values[3] = { most, both ? 0 : most / 2, both ? most : 0 };

	fputs("<div class=y>", page->out);
	for (unsigned i = 0; i < 3; i++) {
		fputs("<span>", page->out);
		/* half of three is no number of calls */
		if (i != 1 || both || most % 2 == 0 || most >= 100)
			report_page_number(page, type, values[i]);
		fputs("</span>", page->out);
	}
	fputs("</div>", page->out);
}

void report_page_grid(struct report_page *page, uint64_t width)
{
	fprintf(page->out, "<path class=grid d=\"M0 0H%" PRIu64 "M0 %dH%" PRIu64 "\"/>", width,
		REPORT_CHART_HEIGHT / 2, width);
}

/* ---- histograms ---- */

static void put_histogram(struct report_page *page, const struct report_section *sizes,
			  uint64_t from, uint64_t to)
{
	enum { METRIC, FROM, TO, COUNT };
	const struct table_value *first = &sizes->rows[from * sizes->n_columns];
	bool time = memmem(first->text, first->len, "latency", 7);
	enum table_type type = time ? TABLE_NS : TABLE_BYTES;
	uint64_t most = 1;

	for (uint64_t i = from; i < to; i++)
		if (sizes->rows[i * sizes->n_columns + COUNT].u > most)
			most = sizes->rows[i * sizes->n_columns + COUNT].u;
	fputs("<figure class=s><figcaption>", page->out);
	report_page_text(page, first->text, first->len);
	fputs("</figcaption>", page->out);
	report_page_scale(page, TABLE_COUNT, most, false);
	fprintf(page->out,
		"<svg viewBox=\"0 0 %" PRIu64
		" %u\" preserveAspectRatio=none role=img aria-label=\"",
		to - from, REPORT_CHART_HEIGHT);
	report_page_text(page, first->text, first->len);
	fputs("\">", page->out);
	report_page_grid(page, to - from);
	for (uint64_t i = from; i < to; i++) {
		const struct table_value *row = &sizes->rows[i * sizes->n_columns];
		double height = (double)row[COUNT].u / (double)most * REPORT_CHART_HEIGHT;

		fprintf(page->out, "<rect x=%.2f y=%.1f width=.9 height=%.1f><title>",
			(double)(i - from) + .05, REPORT_CHART_HEIGHT - height, height);
		report_page_number(page, type, row[FROM].u);
		fputs(" to ", page->out);
		if (row[TO].known)
			report_page_number(page, type, row[TO].u);
		fprintf(page->out, ": %" PRIu64 "</title></rect>", row[COUNT].u);
	}
	fputs("</svg><div class=ends><span>", page->out);
	report_page_number(page, type, first[FROM].u);
	fputs("</span><span>", page->out);
	report_page_number(page, type, sizes->rows[(to - 1) * sizes->n_columns + FROM].u);
	fputs("</span></div></figure>\n", page->out);
}

void report_page_sizes(struct report_page *page)
{
	const struct report_section *sizes = report_section(page->answer, "sizes");
	uint64_t from = 0;

	fputs("<div class=charts>\n", page->out);
	for (uint64_t i = 1; i <= sizes->n; i++) {
		const struct table_value *a = &sizes->rows[from * sizes->n_columns],
					 *b = &sizes->rows[i * sizes->n_columns];

		if (i < sizes->n && a->len == b->len && !memcmp(a->text, b->text, a->len))
			continue;
		put_histogram(page, sizes, from, i);
		from = i;
	}
	fputs("</div>\n", page->out);
}
