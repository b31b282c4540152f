/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how bars stand on the page; what their pieces are, `iotracer why` knows. */
#include "analysis/report/report_waterfall.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/common/units.h"
#include "analysis/why/why_svg.h"

enum { BARS = 20, WIDTH = 1000 };

/* As report_page.css chooses */
#define BOTH(name, column, heading, words, letter, class, light, dark)                             \
	class "{color:var(--light," light ")var(--dark," dark ");fill:currentColor}"
const char report_waterfall_css[] = WHY_EACH_PART(BOTH) "\n";

static void put_legend(struct report_page *page)
{
	fputs("<p class=legend>", page->out);
	for (unsigned i = 0; i < WHY_PARTS; i++)
		fprintf(page->out, "<span><i class=\"key p%u\"></i> %s</span> ", i,
			why_part_names[i]);
	fputs("</p>\n", page->out);
}

static void put_bar(struct report_page *page, const struct why_slow *slow, double scale)
{
	const struct why_operation *o = &slow->operation;
	const char *command = o->command ? o->command : "?";
	char latency[UNITS_SIZE];

	fprintf(page->out, "<li>%s %s ", units_ns(latency, o->latency), why_operation_name(o));
	report_page_string(page, command);
	fprintf(page->out, " (%" PRIu32 ") ", o->who.tid);
	report_page_text(page, o->path ? o->path : "", o->path_len);
	fprintf(page->out,
		"\n<svg class=bar viewBox=\"0 0 %d 14\" preserveAspectRatio=none role=img aria-label=\"%s\">",
		WIDTH, latency);
	why_svg_bar(page->out, slow, 0, scale, 0);
	fputs("</svg>\n", page->out);
}

void report_page_waterfall(struct report_page *page)
{
	const struct why *why = &page->answer->report->why;
	uint64_t n = why->n_slowest < BARS ? why->n_slowest : BARS;

	if (!n || !why->slowest[0].operation.latency)
		return;
	fputs("<figure><figcaption>Where their time went, each with its parts in their order</figcaption>\n",
	      page->out);
	put_legend(page);
	fputs("<ol class=waterfall>\n", page->out);
	for (uint64_t i = 0; i < n; i++)
		put_bar(page, &why->slowest[i],
			(double)WIDTH / (double)why->slowest[0].operation.latency);
	fputs("</ol></figure>\n", page->out);
}
