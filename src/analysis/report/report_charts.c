/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the charts of the page: SVG whose elements have their values, and the tables of these. */
#include "analysis/report/report_charts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report_histograms.h"
#include "base/clock.h"

enum { HEAT_SPANS = 40, HEAT_MAPS = 4, HEIGHT = REPORT_CHART_HEIGHT };

unsigned report_page_fold(const struct report *report, unsigned spans)
{
	unsigned n = report->tally.bins.n;

	return n > spans ? (n + spans - 1) / spans : 1;
}

static void put_ends(struct report_page *page)
{
	const struct report *r = page->answer->report;
	double seconds = (double)(time_bins_width(&r->tally.bins) * r->tally.bins.n) / NS_PER_S;

	fprintf(page->out,
		"<div class=\"ends x\"><span>0.000 s</span><span>%.3f s</span></div></figure>\n",
		seconds);
}

static unsigned n_spans(const struct report *r, unsigned spans)
{
	unsigned fold = report_page_fold(r, spans);

	return (r->tally.bins.n + fold - 1) / fold;
}

/* ---- numbers over time ---- */

struct series {
	const char *title;
	enum report_series up; /* from the axis upwards */
	int down;              /* and downwards; -1: nothing */
	enum table_type type;
	const char *words[2];
};

static const struct series counted = { "operations",
				       REPORT_OVER_OPERATIONS,
				       REPORT_OVER_ERRORS,
				       TABLE_COUNT,
				       { "operations", "failed" } };
static const struct series moved = { "bytes read (up) and written (down)",
				     REPORT_OVER_READ_BYTES,
				     REPORT_OVER_WRITE_BYTES,
				     TABLE_BYTES,
				     { "read", "written" } };
static const struct series looked_up = { "pages found in the cache (up) and not (down)",
					 REPORT_OVER_HITS,
					 REPORT_OVER_MISSES,
					 TABLE_COUNT,
					 { "found", "not found" } };

static uint64_t folded(const struct report *r, enum stream_id stream, unsigned span, unsigned which)
{
	unsigned fold = report_page_fold(r, REPORT_PAGE_SPANS);
	uint64_t sum = 0;

	for (unsigned i = span * fold; i < (span + 1) * fold && i < r->tally.bins.n; i++)
		sum += r->tally.streams[stream].over[i][which];
	return sum;
}

static void put_bar(struct report_page *page, const struct series *s, unsigned span, bool down,
		    uint64_t value, uint64_t most)
{
	const struct report *r = page->answer->report;
	unsigned half = s->down < 0 ? HEIGHT : HEIGHT / 2;
	double height = (double)value / (double)most * half;
	double at = (double)(span * (uint64_t)report_page_fold(r, REPORT_PAGE_SPANS) *
			     time_bins_width(&r->tally.bins)) /
		    NS_PER_S;

	fprintf(page->out,
		"<rect%s x=%u y=%.1f width=1 height=%.1f><title>%.3f s: ", down ? " class=w" : "",
		span, down ? (double)half : half - height, height, at);
	report_page_number(page, s->type, value);
	fprintf(page->out, " %s</title></rect>", s->words[down]);
}

static void put_series(struct report_page *page, enum stream_id stream, const struct series *s)
{
	const struct report *r = page->answer->report;
	unsigned n = n_spans(r, REPORT_PAGE_SPANS);
	uint64_t most = 0, value;

	for (unsigned i = 0; i < n; i++)
		for (unsigned d = 0; d < 2; d++) {
			if (d && s->down < 0)
				continue;
			value = folded(r, stream, i, d ? (unsigned)s->down : s->up);
			most = value > most ? value : most;
		}
	if (!most)
		return;
	fprintf(page->out, "<figure class=s><figcaption>%s: %s, at most ", streams[stream].name,
		s->title);
	report_page_number(page, s->type, most);
	fputs("</figcaption>", page->out);
	report_page_scale(page, s->type, most, s->down >= 0);
	fprintf(page->out,
		"<svg class=time viewBox=\"0 0 %u %u\" preserveAspectRatio=none "
		"role=img aria-label=\"%s: %s over time\">",
		n, HEIGHT, streams[stream].name, s->title);
	report_page_grid(page, n);
	for (unsigned i = 0; i < n; i++)
		for (unsigned d = 0; d < 2; d++) {
			value = d && s->down < 0 ?
					0 :
					folded(r, stream, i, d ? (unsigned)s->down : s->up);
			if (value)
				put_bar(page, s, i, d, value, most);
		}
	fputs("</svg>\n", page->out);
	put_ends(page);
}

static struct table_value hit_share(const struct report *r, enum stream_id stream, unsigned span)
{
	uint64_t hits = folded(r, stream, span, REPORT_OVER_HITS);

	return table_share(hits, hits + folded(r, stream, span, REPORT_OVER_MISSES));
}

/* Of the pages that were looked up, those that the cache had. */
static void put_hit_share(struct report_page *page, enum stream_id stream)
{
	const struct report *r = page->answer->report;
	unsigned n = n_spans(r, REPORT_PAGE_SPANS), fold = report_page_fold(r, REPORT_PAGE_SPANS);
	double width = (double)(time_bins_width(&r->tally.bins) * fold) / NS_PER_S;
	bool any = false;

	for (unsigned i = 0; i < n; i++)
		any = any || hit_share(r, stream, i).known;
	if (!any)
		return;
	fprintf(page->out,
		"<figure><figcaption>%s: share of pages found in the cache, up to 100%%</figcaption>"
		"<svg class=time viewBox=\"0 0 %u %u\" preserveAspectRatio=none role=img "
		"aria-label=\"%s: hit ratio over time\">",
		streams[stream].name, n, HEIGHT, streams[stream].name);
	for (unsigned i = 0; i < n; i++) {
		struct table_value share = hit_share(r, stream, i);
		double height = share.known ? (double)share.u / 1000000 * HEIGHT : 0;

		if (!share.known)
			continue;
		fprintf(page->out, "<rect x=%u y=%.1f width=.9 height=%.1f><title>%.3f s: ", i,
			HEIGHT - height, height, i * width);
		report_page_number(page, TABLE_SHARE, share.u);
		fputs(" found</title></rect>", page->out);
	}
	fputs("</svg>\n", page->out);
	put_ends(page);
}

static void put_share_cell(struct report_page *page, struct table_value share)
{
	char exact[TABLE_NUMBER_SIZE];

	if (!share.known) {
		fputs("<td class=n>-", page->out);
		return;
	}
	table_exact(exact, TABLE_SHARE, share.u);
	fprintf(page->out, "<td class=n title=\"%s\">", exact);
	report_page_number(page, TABLE_SHARE, share.u);
}

/* The table of the charts: their spans, not the finer ones of the model. */
static void put_table(struct report_page *page, enum stream_id stream)
{
	static const enum table_type types[N_REPORT_SERIES] = {
		[REPORT_OVER_OPERATIONS] = TABLE_COUNT,  [REPORT_OVER_READ_BYTES] = TABLE_BYTES,
		[REPORT_OVER_WRITE_BYTES] = TABLE_BYTES, [REPORT_OVER_ERRORS] = TABLE_COUNT,
		[REPORT_OVER_HITS] = TABLE_COUNT,        [REPORT_OVER_MISSES] = TABLE_COUNT,
	};
	const struct report *r = page->answer->report;
	unsigned fold = report_page_fold(r, REPORT_PAGE_SPANS);
	double width = (double)(time_bins_width(&r->tally.bins) * fold) / NS_PER_S;

	for (unsigned i = 0; i < n_spans(r, REPORT_PAGE_SPANS); i++) {
		char exact[TABLE_NUMBER_SIZE];
		bool any = false;

		for (unsigned j = 0; j < N_REPORT_SERIES; j++)
			any = any || folded(r, stream, i, j);
		if (!any)
			continue;
		fprintf(page->out, "<tr><td>%s<td class=n title=\"%.6f\">%.3f s",
			streams[stream].name, i * width, i * width);
		for (unsigned j = 0; j < N_REPORT_SERIES; j++) {
			uint64_t value = folded(r, stream, i, j);

			table_exact(exact, types[j], value);
			fprintf(page->out, "<td class=n title=\"%s\">", exact);
			report_page_number(page, types[j], value);
		}
		put_share_cell(page, hit_share(r, stream, i));
		fputs("</tr>\n", page->out);
	}
}

void report_page_over_time(struct report_page *page)
{
	const struct report *r = page->answer->report;

	fputs("<div class=charts>\n", page->out);
	for (unsigned i = 0; i < N_STREAMS; i++) {
		if (!r->tally.streams[i].over)
			continue;
		put_series(page, (enum stream_id)i, &counted);
		put_series(page, (enum stream_id)i, &moved);
		put_series(page, (enum stream_id)i, &looked_up);
		put_hit_share(page, (enum stream_id)i);
	}
	fputs("</div>\n<details class=long><summary>the charts as a table</summary><div class=scroll tabindex=0 "
	      "role=region aria-label=\"over time\"><table><caption>over time</caption><thead><tr>",
	      page->out);
	fputs("<th scope=col><button type=button>layer</button>", page->out);
	for (unsigned i = 0; i <= N_REPORT_SERIES + 1; i++) {
		static const char *const titles[] = { "start",       "operations", "read_bytes",
						      "write_bytes", "errors",     "hits",
						      "misses",      "hit_share" };

		fprintf(page->out, "<th scope=col class=n><button type=button>%s</button>",
			titles[i]);
	}
	fputs("<tbody>\n", page->out);
	for (unsigned i = 0; i < N_STREAMS; i++)
		if (r->tally.streams[i].over)
			put_table(page, (enum stream_id)i);
	fputs("</table></div></details>\n", page->out);
}

/* ---- heat maps ---- */

static const struct report_item *item_of(const struct report_answer *answer,
					 const struct table_value *row)
{
	struct report_key key = { .kind = REPORT_OPERATION,
				  .name = row[1].text,
				  .len = row[1].len };
	char layer[32];

	snprintf(layer, sizeof(layer), "%.*s", (int)row[0].len, row[0].text);
	key.number = (uint64_t)schema_find(layer);
	return report_find(&answer->report->tally, &key);
}

static void add_cells(const struct report *r, const struct report_item *item,
		      uint64_t cells[HEAT_SPANS][REPORT_HEAT], unsigned *low, unsigned *high,
		      uint64_t *most)
{
	unsigned fold = report_page_fold(r, HEAT_SPANS);

	memset(cells, 0, sizeof(uint64_t) * HEAT_SPANS * REPORT_HEAT);
	*low = REPORT_HEAT;
	*high = 0;
	*most = 1;
	for (unsigned i = 0; i < r->tally.bins.n; i++)
		for (unsigned j = 0; j < REPORT_HEAT; j++) {
			uint64_t *cell = &cells[i / fold][j];

			*cell += item->heat[i * REPORT_HEAT + j];
			*most = *cell > *most ? *cell : *most;
			*low = *cell && j < *low ? j : *low;
			*high = *cell && j > *high ? j : *high;
		}
}

static void put_range(struct report_page *page, unsigned row)
{
	if (row)
		report_page_number(page, TABLE_NS, 1ull << (REPORT_HEAT_FIRST + row - 1));
	else
		fputs("0ns", page->out);
	fputs(" to ", page->out);
	if (row + 1 < REPORT_HEAT)
		report_page_number(page, TABLE_NS, 1ull << (REPORT_HEAT_FIRST + row));
	else
		fputs("more", page->out);
}

static const char *layer_of(const struct report_item *item)
{
	return item->kind == REPORT_DEVICE ? streams[STREAM_ds].name : streams[item->number].name;
}

static void put_item(struct report_page *page, const struct report_item *item)
{
	if (item->kind == REPORT_DEVICE)
		report_page_number(page, TABLE_DEVICE, item->number);
	else
		report_page_text(page, item->name, item->name_len);
}

static void put_map(struct report_page *page, const struct report_item *item, bool as_table)
{
	static const unsigned shares[] = { 1, 2, 5, 10, 20, 40, 70 };
	const struct report *r = page->answer->report;
	unsigned fold = report_page_fold(r, HEAT_SPANS), low, high;
	/* in the units of all charts over time */
	double unit = (double)fold / report_page_fold(r, REPORT_PAGE_SPANS);
	double width = (double)(time_bins_width(&r->tally.bins) * fold) / NS_PER_S, row_height;
	uint64_t cells[HEAT_SPANS][REPORT_HEAT], most;

	add_cells(r, item, cells, &low, &high, &most);
	row_height = (double)HEIGHT / (high - low + 1);
	for (unsigned i = 0; i < HEAT_SPANS; i++)
		for (unsigned j = low; j <= high; j++) {
			unsigned shade = 2;

			if (!cells[i][j])
				continue;
			for (unsigned s = 0; s < sizeof(shares) / sizeof(shares[0]); s++)
				shade += cells[i][j] * 100 > most * shares[s];
			if (as_table) {
				fprintf(page->out, "<tr><td>%s<td>", layer_of(item));
				put_item(page, item);
				fprintf(page->out, "<td class=n title=\"%.6f\">%.3f s<td>",
					i * width, i * width);
				put_range(page, j);
				fprintf(page->out,
					"<td class=n title=\"%" PRIu64 "\">%" PRIu64 "</tr>\n",
					cells[i][j], cells[i][j]);
				continue;
			}
			fprintf(page->out,
				"<rect x=%.2f y=%.1f width=%.2f height=%.1f fill-opacity=.%u><title>%.3f s: %" PRIu64
				" took ",
				i * unit, (high - j) * row_height, unit, row_height,
				shade > 9 ? 9 : shade, i * width, cells[i][j]);
			put_range(page, j);
			fputs("</title></rect>", page->out);
		}
}

static void put_heat(struct report_page *page, const struct report_item *item)
{
	const struct report *r = page->answer->report;
	uint64_t cells[HEAT_SPANS][REPORT_HEAT], most;
	unsigned low, high;

	add_cells(r, item, cells, &low, &high, &most);
	fprintf(page->out, "<figure><figcaption>%s ", layer_of(item));
	put_item(page, item);
	fputs(": latencies over time, from ", page->out);
	put_range(page, low);
	fputs(" (bottom) up to ", page->out);
	put_range(page, high);
	fprintf(page->out,
		"</figcaption><svg class=\"time heat\" viewBox=\"0 0 %u %u\" preserveAspectRatio=none role=img "
		"aria-label=\"latencies of %s ",
		n_spans(r, REPORT_PAGE_SPANS), HEIGHT, layer_of(item));
	put_item(page, item);
	fputs(" over time\">", page->out);
	put_map(page, item, false);
	fputs("</svg>\n", page->out);
	put_ends(page);
}

static void put_maps(struct report_page *page, const struct report_item *const *items, unsigned n,
		     const char *of)
{
	if (!n)
		return;
	fputs("<div class=charts>\n", page->out);
	for (unsigned i = 0; i < n; i++)
		put_heat(page, items[i]);
	fprintf(page->out,
		"</div>\n<details class=long><summary>the heat maps as a table</summary><div class=scroll tabindex=0 "
		"role=region aria-label=\"latencies of %ss over time\"><table><caption>latencies of %ss over time</caption>"
		"<thead><tr><th scope=col><button type=button>layer</button>"
		"<th scope=col><button type=button>%s</button>"
		"<th scope=col class=n><button type=button>start</button>"
		"<th scope=col><button type=button>latency</button>"
		"<th scope=col class=n><button type=button>count</button><tbody>\n",
		of, of, of);
	for (unsigned i = 0; i < n; i++)
		put_map(page, items[i], true);
	fputs("</table></div></details>\n", page->out);
}

/* Those that took most of the time. */
void report_page_heat(struct report_page *page)
{
	const struct report_section *operations = report_section(page->answer, "operations");
	const struct report_item *items[HEAT_MAPS];
	unsigned n = 0;

	for (uint64_t i = 0; i < operations->n && n < HEAT_MAPS; i++) {
		items[n] = item_of(page->answer, &operations->rows[i * operations->n_columns]);
		n += items[n] && items[n]->heat;
	}
	put_maps(page, items, n, "operation");
}

/* Those that moved most. */
void report_page_device_heat(struct report_page *page)
{
	const struct report_section *devices = report_section(page->answer, "devices");
	const struct report_item *items[HEAT_MAPS];
	unsigned n = 0;

	for (uint64_t i = 0; i < devices->n && n < HEAT_MAPS; i++) {
		const struct report_key key = { .kind = REPORT_DEVICE,
						.number = devices->rows[i * devices->n_columns].u };

		items[n] = report_find(&page->answer->report->tally, &key);
		n += items[n] && items[n]->heat;
	}
	put_maps(page, items, n, "device");
}
