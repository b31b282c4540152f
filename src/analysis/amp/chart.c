/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where things are in a picture, and how it looks. */
#include "analysis/amp/chart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/picture_style.h"
#include "analysis/common/xml_text.h"

enum {
	WIDTH = 960,
	LEFT = 230,
	RIGHT = 120,
	TOP = 96,
	BAR = 14,
	GAP = 12,
	FOOT = 44,
	PLANE = WIDTH - LEFT - RIGHT,
	PLANE_HEIGHT = 420,
	NAME_CHARS = 30,
	MAX_TICKS = 12,
	TICKS = 6,
};

static const char style[] = PICTURE_STYLE(
	"12px", "18px", "#d5dae0", "#343b43",
	".l{stroke:#b00020;stroke-dasharray:5 4}.m{stroke:#1a1d21;stroke-width:2}.s0{fill:#0b62a8}.s1{fill:#74b3e3}"
	".s2{fill:#1f7a4d}.s3{fill:#86c9a5}.s4{fill:#b4560c}.s5{fill:#f0a55f}",
	".l{stroke:#ff8a8a}.m{stroke:#e6e9ec}");

struct picture {
	FILE *out;
	const struct chart *chart;
	struct table text; /* of names */
};

/* ---- text ---- */

static void put_name(struct picture *p, const char *name, size_t chars)
{
	size_t len;
	const char *text = table_escaped(&p->text, name, strlen(name), &len);

	xml_text_end(p->out, text, len, chars);
}

static void put_number(FILE *out, enum table_type type, uint64_t u)
{
	char number[TABLE_NUMBER_SIZE];

	table_for_people(number, type, u);
	fputs(number, out);
}

/* "PostgreSQL, read: 1.25 (1.250000)" */
static void put_title(struct picture *p, const char *name, const char *series, enum table_type type,
		      uint64_t u)
{
	char exact[TABLE_NUMBER_SIZE];

	table_exact(exact, type, u);
	fputs("<title>", p->out);
	put_name(p, name, SIZE_MAX);
	fprintf(p->out, ", %s: ", series);
	put_number(p->out, type, u);
	fprintf(p->out, " (%s)</title>", exact);
}

/* ---- scales ---- */

struct scale {
	enum chart_scale kind;
	double low, high; /* of CHART_LOG: their logarithms */
	enum table_type type;
};

/* Of what is 1 at least; 24 bits behind the point are more than a picture shows. */
static double log2_of(double value)
{
	double log = 0, bit = .5;

	for (; value >= 2; value /= 2)
		log++;
	for (unsigned i = 0; i < 24; i++, bit /= 2) {
		value *= value;
		if (value >= 2) {
			value /= 2;
			log += bit;
		}
	}
	return log;
}

/* What the ticks of a logarithmic scale differ by. */
static uint64_t factor_of(enum table_type type)
{
	return type == TABLE_BYTES ? 32 : 10;
}

static struct scale make_scale(enum chart_scale kind, enum table_type type, uint64_t least,
			       uint64_t most)
{
	struct scale scale = { .kind = kind, .type = type, .high = most ? (double)most : 1 };
	double factor = (double)factor_of(type), low = 1;

	if (kind == CHART_LINEAR)
		return scale;
	/* both ends are ticks */
	while (low * factor <= (double)(least ? least : 1))
		low *= factor;
	scale.low = log2_of(low);
	while (low < scale.high)
		low *= factor;
	scale.high = log2_of(low);
	if (scale.high <= scale.low)
		scale.high = scale.low + 1;
	return scale;
}

/* Of the length of the axis. */
static double place(const struct scale *scale, uint64_t u)
{
	double value = (double)u;

	if (scale->kind == CHART_LOG)
		value = u ? log2_of(value) : scale->low;
	value = (value - scale->low) / (scale->high - scale->low);
	return value < 0 ? 0 : value > 1 ? 1 : value;
}

static uint64_t round_step(enum table_type type, double most)
{
	uint64_t step = 1;

	if (type == TABLE_BYTES) {
		while ((double)step * TICKS < most)
			step *= 2;
		return step;
	}
	while ((double)step * 10 * TICKS <= most)
		step *= 10;
	if ((double)step * TICKS < most)
		step *= (double)step * 2 * TICKS >= most ? 2 :
			(double)step * 5 * TICKS >= most ? 5 :
							   10;
	return step;
}

static unsigned make_ticks(const struct scale *scale, uint64_t ticks[MAX_TICKS])
{
	uint64_t step = scale->kind == CHART_LINEAR ? round_step(scale->type, scale->high) : 0;
	uint64_t at = step ? 0 : 1;
	unsigned n = 0;

	while (n < MAX_TICKS) {
		double where = step ? (double)at : log2_of((double)at);

		if (where > scale->high + 1e-6)
			break;
		if (where >= scale->low - 1e-6)
			ticks[n++] = at;
		if (!step && at > UINT64_MAX / factor_of(scale->type))
			break;
		at = step ? at + step : at * factor_of(scale->type);
	}
	return n;
}

/* ---- what all have ---- */

static void begin(struct picture *p, unsigned height)
{
	const struct chart *c = p->chart;
	unsigned x = 24;

	fprintf(p->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"%s\">\n%s"
		"<rect class=\"bg\" width=\"%u\" height=\"%u\"/>\n"
		"<text class=\"t\" x=\"24\" y=\"32\">%s</text>\n"
		"<text class=\"d\" x=\"24\" y=\"52\">%s</text>\n",
		WIDTH, height, WIDTH, height, c->title, style, WIDTH, height, c->title, c->unit);
	for (unsigned i = 0; c->series[i]; i++) {
		fprintf(p->out,
			"<rect class=\"s%u\" x=\"%u\" y=\"66\" width=\"12\" height=\"12\"/>"
			"<text x=\"%u\" y=\"76\">%s</text>\n",
			i, x, x + 18, c->series[i]);
		x += 40 + 7 * (unsigned)strlen(c->series[i]);
	}
}

static void put_axis(struct picture *p, const struct scale *scale, unsigned bottom)
{
	uint64_t ticks[MAX_TICKS];
	unsigned n = make_ticks(scale, ticks);

	for (unsigned i = 0; i < n; i++) {
		double x = LEFT + place(scale, ticks[i]) * PLANE;

		fprintf(p->out,
			"<line class=\"g\" x1=\"%.1f\" y1=\"%u\" x2=\"%.1f\" y2=\"%u\"/>"
			"<text class=\"d\" x=\"%.1f\" y=\"%u\" text-anchor=\"middle\">",
			x, TOP, x, bottom, x, bottom + 18);
		put_number(p->out, scale->type, ticks[i]);
		fputs("</text>\n", p->out);
	}
}

static int end(struct picture *p)
{
	bool no_memory = p->text.no_memory;

	fputs("</svg>\n", p->out);
	free(p->text.scratch);
	return no_memory ? -ENOMEM : 0;
}

/* ---- bars ---- */

static unsigned n_series(const struct chart *chart)
{
	unsigned n = 0;

	while (chart->series[n])
		n++;
	return n;
}

static struct scale scale_of(const struct chart *chart, const struct chart_row *rows, uint64_t n)
{
	uint64_t least = UINT64_MAX, most = chart->line;

	for (uint64_t i = 0; i < n; i++)
		for (unsigned s = 0; chart->series[s]; s++) {
			const struct chart_value *v = &rows[i].values[s];

			if (!v->known)
				continue;
			if (v->u && v->u < least)
				least = v->u;
			most = v->u > most ? v->u : most;
			most = v->mark > most ? v->mark : most;
		}
	/* the shortest bar is to be seen */
	if (chart->scale == CHART_LOG && least != UINT64_MAX)
		least = least > factor_of(chart->type) ? least / factor_of(chart->type) : 1;
	return make_scale(chart->scale, chart->type, least, most);
}

static void put_bar(struct picture *p, const struct scale *scale, const struct chart_row *row,
		    unsigned series, unsigned y)
{
	const struct chart_value *v = &row->values[series];
	double width = v->known ? place(scale, v->u) * PLANE : 0, end_x = width;

	if (v->known) {
		fprintf(p->out,
			"<rect class=\"s%u\" x=\"%u\" y=\"%u\" width=\"%.1f\" height=\"%u\">",
			series, LEFT, y, width, BAR - 2);
		put_title(p, row->name, p->chart->series[series], p->chart->type, v->u);
		fputs("</rect>", p->out);
	}
	if (v->known && v->mark) {
		double x = place(scale, v->mark) * PLANE;

		fprintf(p->out, "<line class=\"m\" x1=\"%.1f\" y1=\"%u\" x2=\"%.1f\" y2=\"%u\"/>",
			LEFT + x, y, LEFT + x, y + BAR - 2);
		end_x = x > end_x ? x : end_x;
	}
	fprintf(p->out, "<text x=\"%.1f\" y=\"%u\">", LEFT + end_x + 5, y + BAR - 3);
	if (v->known)
		put_number(p->out, p->chart->type, v->u);
	else
		fputs("-", p->out);
	if (v->known && v->mark) {
		fputs(" | ", p->out);
		put_number(p->out, p->chart->type, v->mark);
	}
	fputs("</text>\n", p->out);
}

static void put_line(struct picture *p, const struct scale *scale, unsigned bottom)
{
	const struct chart *c = p->chart;
	double x = LEFT + place(scale, c->line) * PLANE;

	fprintf(p->out,
		"<line class=\"l\" x1=\"%.1f\" y1=\"%u\" x2=\"%.1f\" y2=\"%u\"/>"
		"<text class=\"d\" x=\"%.1f\" y=\"%u\">%s</text>\n",
		x, TOP - 4, x, bottom, x + 4, TOP - 6, c->line_text);
}

int chart_bars(FILE *out, const struct chart *chart, const struct chart_row *rows, uint64_t n)
{
	struct picture p = { .out = out, .chart = chart, .text = { .out = out } };
	unsigned per_row = n_series(chart) * BAR + GAP, bottom = TOP + (unsigned)n * per_row;
	const struct scale scale = scale_of(chart, rows, n);

	begin(&p, bottom + FOOT);
	put_axis(&p, &scale, bottom);
	for (uint64_t i = 0; i < n; i++) {
		unsigned y = TOP + (unsigned)i * per_row + GAP / 2;

		fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">", LEFT - 10,
			y + per_row / 2 - 2);
		put_name(&p, rows[i].name, NAME_CHARS);
		fputs("</text>\n", out);
		for (unsigned s = 0; chart->series[s]; s++)
			put_bar(&p, &scale, &rows[i], s, y + s * BAR);
	}
	if (chart->line)
		put_line(&p, &scale, bottom);
	return end(&p);
}

/* ---- points ---- */

static void put_bands(struct picture *p, const struct chart_plane *plane, const struct scale *scale)
{
	unsigned i;

	for (i = 0; plane->bands[i]; i++) {
		double y = TOP + PLANE_HEIGHT - place(scale, plane->bands[i]) * PLANE_HEIGHT;

		fprintf(p->out,
			"<line class=\"l\" x1=\"%u\" y1=\"%.1f\" x2=\"%u\" y2=\"%.1f\"/>"
			"<text class=\"d\" x=\"%u\" y=\"%.1f\">%s</text>\n",
			LEFT, y, LEFT + PLANE, y, LEFT + PLANE + 6, y + 14, plane->band_names[i]);
	}
	fprintf(p->out, "<text class=\"d\" x=\"%u\" y=\"%u\">%s</text>\n", LEFT + PLANE + 6,
		TOP - 4, plane->band_names[i]);
}

static void put_upwards(struct picture *p, const struct scale *scale)
{
	uint64_t ticks[MAX_TICKS];
	unsigned n = make_ticks(scale, ticks);

	for (unsigned i = 0; i < n; i++) {
		double y = TOP + PLANE_HEIGHT - place(scale, ticks[i]) * PLANE_HEIGHT;

		fprintf(p->out,
			"<line class=\"g\" x1=\"%u\" y1=\"%.1f\" x2=\"%u\" y2=\"%.1f\"/>"
			"<text class=\"d\" x=\"%u\" y=\"%.1f\" text-anchor=\"end\">",
			LEFT, y, LEFT + PLANE, y, LEFT - 8, y + 4);
		put_number(p->out, scale->type, ticks[i]);
		fputs("</text>\n", p->out);
	}
}

static void put_point(struct picture *p, const struct scale *x, const struct scale *y,
		      const struct chart_point *point)
{
	double at_x = LEFT + place(x, point->x) * PLANE;
	double at_y = TOP + PLANE_HEIGHT - place(y, point->y) * PLANE_HEIGHT;

	fprintf(p->out, "<circle class=\"s%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\">", point->series,
		at_x, at_y);
	put_title(p, point->name, p->chart->series[point->series], p->chart->type, point->y);
	fprintf(p->out, "</circle><text x=\"%.1f\" y=\"%.1f\">", at_x + 9, at_y + 4);
	put_name(p, point->name, NAME_CHARS);
	fputs("</text>\n", p->out);
}

int chart_points(FILE *out, const struct chart *chart, const struct chart_plane *plane,
		 const struct chart_point *points, uint64_t n)
{
	struct picture p = { .out = out, .chart = chart, .text = { .out = out } };
	uint64_t least[2] = { UINT64_MAX, chart->line }, most[2] = { 1, chart->line };
	struct scale x, y;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t at[2] = { points[i].x, points[i].y };

		for (unsigned d = 0; d < 2; d++) {
			least[d] = at[d] && at[d] < least[d] ? at[d] : least[d];
			most[d] = at[d] > most[d] ? at[d] : most[d];
		}
	}
	x = make_scale(CHART_LOG, plane->x_type, least[0] == UINT64_MAX ? 1 : least[0], most[0]);
	/* there is something below the line, too */
	y = make_scale(CHART_LOG, chart->type,
		       least[1] < chart->line ? least[1] : chart->line / factor_of(chart->type),
		       most[1]);
	begin(&p, TOP + PLANE_HEIGHT + FOOT);
	put_axis(&p, &x, TOP + PLANE_HEIGHT);
	put_upwards(&p, &y);
	put_bands(&p, plane, &y);
	for (uint64_t i = 0; i < n; i++)
		put_point(&p, &x, &y, &points[i]);
	fprintf(out, "<text class=\"d\" x=\"%u\" y=\"%u\" text-anchor=\"middle\">%s</text>\n",
		LEFT + PLANE / 2, TOP + PLANE_HEIGHT + 38, plane->x_unit);
	return end(&p);
}
