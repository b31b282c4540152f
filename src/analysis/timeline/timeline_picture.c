/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns how a picture of a timeline looks: a row for each track below its group,
 * slices as rectangles, one below the other where they are nested, arrows,
 * counters as steps, and a time axis. One SVG file that stands alone.
 */
#include "analysis/timeline/timeline_picture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "analysis/common/picture_style.h"
#include "analysis/common/units.h"
#include "base/clock.h"
#include "analysis/common/xml_text.h"

enum {
	WIDTH = 1480,
	LEFT = 240,
	RIGHT = 20,
	TOP = 92,
	FOOT = 24,
	PLANE = WIDTH - LEFT - RIGHT,
	SLICE = 15, /* height of a slice, and of the name in it */
	RUN = 6,    /* of the bar that says when a thread ran */
	STEPS = 36, /* of a counter */
	GROUP = 22, /* of a group's name */
	GAP = 3,
	CHAR = 6, /* width of a character, about */
	NAME_CHARS = 34,
	COLOURS = 8,
	LEGEND = 10,
	TICKS = 8,
	MAX_DEPTH = 20,
};

static const char style[] = PICTURE_STYLE(
	"11px", "16px", "#e3e7eb", "#2b3138",
	".h{font-weight:600}.b{fill:#f1f3f5}.w{fill:#fff;pointer-events:none}.c0{fill:#0b62a8}.c1{fill:#1f7a4d}"
	".c2{fill:#a34a00}.c3{fill:#7a3e9d}.c4{fill:#9b1c3f}.c5{fill:#00707a}.c6{fill:#5c6b00}.c7{fill:#4a5a8a}"
	".r{fill:#2e9e5b}.i{fill:#1a1d21}.v{fill:none;stroke:#0b62a8;stroke-width:1.5}"
	".a{fill:none;stroke:#c2410c;stroke-width:1;opacity:.5}.k{fill:#c2410c}",
	".b{fill:#1d2227}.w{fill:#fff}.c0{fill:#2f80c9}.c1{fill:#2f9463}.c2{fill:#c06a1c}.c3{fill:#9a63bd}"
	".c4{fill:#bf4568}.c5{fill:#22929c}.c6{fill:#7d8d1c}.c7{fill:#6b7db3}.i{fill:#e6e9ec}.v{stroke:#74b3e3}"
	".a{stroke:#ff9d5c}.k{fill:#ff9d5c}");

struct drawing {
	FILE *out;
	struct picture *p;
	unsigned y;
};

/* Since the trace began; without a manifest that says when, since the first of what is drawn. */
static uint64_t since(const struct picture *p, uint64_t ns)
{
	uint64_t origin = p->wall ? p->wall->start_ns : 0;

	return ns - (origin && origin <= p->first_ns ? origin : p->first_ns);
}

/* In seconds, with as many digits as tell steps of that many nanoseconds apart. */
static void put_seconds(FILE *out, uint64_t ns, uint64_t step)
{
	int digits = 0;

	for (uint64_t power = NS_PER_S; step < power && digits < 9; power /= 10)
		digits++;
	fprintf(out, "%.*f s", digits, (double)ns / (double)NS_PER_S);
}

/* ---- where things are ---- */

static double x_of(const struct picture *p, uint64_t ns)
{
	double span = (double)(p->last_ns - p->first_ns);

	return LEFT + (span > 0 ? (double)(ns - p->first_ns) / span * PLANE : 0);
}

static unsigned row_height(const struct picture_track *t)
{
	if (t->kind == TIMELINE_COUNTER)
		return STEPS + GAP;
	if (t->runs && !t->depth) /* room for its name */
		return SLICE + GAP;
	return (t->runs ? RUN + GAP : 0) + (t->depth ? t->depth * SLICE + GAP : 0);
}

static unsigned y_of(const struct picture *p, const struct picture_item *item)
{
	const struct picture_track *t = &p->tracks[item->track];

	return t->y + (t->runs ? RUN + GAP : 0) + item->depth * SLICE;
}

static int by_start(const void *a, const void *b)
{
	const struct picture_item *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return 0;
}

/* The row of a thread that ran; 0: none has its number. */
static uint64_t row_of(const struct picture *p, uint32_t tid)
{
	for (uint64_t i = 1; i < p->n_tracks; i++)
		if (p->tracks[i].name && p->tracks[i].kind == TIMELINE_THREAD &&
		    p->tracks[i].tid == tid)
			return i;
	return 0;
}

/* What belongs to a run, a slice or a value, and how deep slices lie in each other. */
static void place_items(struct picture *p)
{
	for (unsigned i = 0; i < p->n_items; i++) {
		struct picture_item *item = &p->items[i];
		struct picture_track *t;

		if (item->kind == PICTURE_RUN)
			item->track = row_of(p, (uint32_t)item->value);
		t = &p->tracks[item->track];
		t->shown = true;
		t->runs = t->runs || item->kind == PICTURE_RUN;
		if (item->kind == PICTURE_VALUE && item->value > t->most)
			t->most = item->value;
		/* those of its parents, too: a lane has the name of its group above it */
		for (; t->parent; t = &p->tracks[t->parent])
			p->tracks[t->parent].shown = true;
	}
}

static void place_depths(const struct picture *p, struct picture_item **order)
{
	uint64_t ends[MAX_DEPTH], track = 0;
	unsigned depth = 0;

	for (unsigned i = 0; i < p->n_items; i++) {
		struct picture_item *item = order[i];
		struct picture_track *t = &p->tracks[item->track];

		if (item->kind != PICTURE_SLICE && item->kind != PICTURE_INSTANT)
			continue;
		if (item->track != track)
			depth = 0;
		track = item->track;
		while (depth && ends[depth - 1] <= item->ns &&
		       (item->kind == PICTURE_SLICE || ends[depth - 1] < item->ns))
			depth--;
		/* a mark stands on the slice that it is of */
		item->depth = item->kind == PICTURE_INSTANT && depth ? depth - 1 : depth;
		if (item->kind == PICTURE_SLICE && depth < MAX_DEPTH)
			ends[depth++] = item->end_ns;
		if (item->depth + 1 > t->depth)
			t->depth = item->depth + 1;
	}
}

static int by_place(const void *a, const void *b)
{
	return by_start(*(struct picture_item *const *)a, *(struct picture_item *const *)b);
}

static void place_rows(struct drawing *d, uint64_t parent)
{
	struct picture *p = d->p;

	for (uint64_t i = 1; i < p->n_tracks; i++) {
		struct picture_track *t = &p->tracks[i];

		if (!t->name || !t->shown || t->parent != parent)
			continue;
		t->y = d->y + (parent ? 0 : GROUP);
		d->y += (parent ? 0 : GROUP) + row_height(t);
		place_rows(d, i);
	}
}

/* ---- what is drawn ---- */

static void put_text(FILE *out, const char *text, size_t most)
{
	size_t len = strlen(text), n = 0, at = 0;

	while (at < len && n < most) {
		n++;
		at++;
		while (at < len && ((unsigned char)text[at] & 0xc0) == 0x80)
			at++;
	}
	xml_text(out, text, at);
	if (at < len)
		fputs("…", out);
}

/* What it is called up to its first blank, for its colour: READ, WRITE, ENTER */
static size_t word(const char *name)
{
	return strcspn(name, " ");
}

/* What is seen most is told apart, and looks the same in every picture; syncs are alike. */
static unsigned colour(const char *name)
{
	static const char *const words[COLOURS][4] = {
		{ "READ", "READV", "read" },      { "OPEN", "ENTER" },
		{ "WRITE", "WRITEV", "write" },   { "GETATTR", "send" },
		{ "FSYNC", "FDATASYNC", "SYNC" }, { "MMAP", "receive" },
		{ "READDIR", "RENAME" },          { "CLOSE", "UNLINK" },
	};

	for (unsigned i = 0; i < COLOURS; i++)
		for (unsigned k = 0; k < 4 && words[i][k]; k++)
			if (strlen(words[i][k]) == word(name) &&
			    !memcmp(words[i][k], name, word(name)))
				return i;
	return (unsigned)(hash_text(7, name, word(name)) >> 8) % COLOURS;
}

static void put_title(const struct drawing *d, const struct picture_item *item)
{
	char took[UNITS_SIZE];

	fputs("<title>", d->out);
	if (item->kind == PICTURE_RUN)
		fprintf(d->out, "on CPU %u", item->depth);
	else
		xml_text(d->out, item->name, strlen(item->name));
	fputs("\nat ", d->out);
	put_seconds(d->out, since(d->p, item->ns), 1);
	if (item->kind != PICTURE_INSTANT)
		fprintf(d->out, ", for %s (%" PRIu64 " ns)",
			units_ns(took, item->end_ns - item->ns), item->end_ns - item->ns);
	if (item->title && *item->title) {
		fputc('\n', d->out);
		xml_text(d->out, item->title, strlen(item->title));
	}
	fputs("</title>", d->out);
}

static void draw_item(const struct drawing *d, const struct picture_item *item)
{
	const struct picture *p = d->p;
	double x = x_of(p, item->ns), width = x_of(p, item->end_ns) - x;
	unsigned y = y_of(p, item);

	switch (item->kind) {
	case PICTURE_SLICE:
		fprintf(d->out,
			"<g><rect class=\"c%u\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
			"rx=\"1\"/>",
			colour(item->name), x, y, width > 0.7 ? width : 0.7, SLICE - 1);
		if (width > 4 * CHAR) {
			fprintf(d->out, "<text class=\"w\" x=\"%.2f\" y=\"%u\">", x + 2, y + 11);
			put_text(d->out, item->name, (size_t)(width / CHAR) - 1);
			fputs("</text>", d->out);
		}
		break;
	case PICTURE_INSTANT:
		fprintf(d->out, "<g><path class=\"i\" d=\"M%.2f %u l-3 -5 h6 z\"/>", x,
			y + SLICE - 2);
		break;
	case PICTURE_RUN:
		fprintf(d->out,
			"<g><rect class=\"r\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>",
			x, p->tracks[item->track].y, width > 0.3 ? width : 0.3, RUN);
		break;
	case PICTURE_VALUE:
		return;
	}
	put_title(d, item);
	fputs("</g>\n", d->out);
}

/* The values of one track, which come by their time. */
static unsigned draw_steps(const struct drawing *d, struct picture_item **items, unsigned n)
{
	const struct picture_track *t = &d->p->tracks[items[0]->track];
	double most = t->most > 0 ? (double)t->most : 1;
	unsigned i = 0;

	fprintf(d->out, "<g><path class=\"v\" d=\"M%.2f %u", x_of(d->p, items[0]->ns),
		t->y + STEPS);
	for (; i < n && items[i]->track == items[0]->track; i++)
		fprintf(d->out, "H%.2f V%.2f", x_of(d->p, items[i]->ns),
			t->y + STEPS - (double)items[i]->value / most * (STEPS - 4));
	fprintf(d->out, "H%u\"/><title>", LEFT + PLANE);
	xml_text(d->out, t->name, strlen(t->name));
	fprintf(d->out, ": at most %" PRId64 "</title></g>\n", t->most);
	return i;
}

static int by_flow(const void *a, const void *b)
{
	const struct picture_point *x = a, *y = b;

	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static void draw_arrows(const struct drawing *d)
{
	struct picture *p = d->p;

	qsort(p->points, p->n_points, sizeof(*p->points), by_flow);
	for (unsigned i = 1; i < p->n_points; i++) {
		const struct picture_item *from = &p->items[p->points[i - 1].item];
		const struct picture_item *to = &p->items[p->points[i].item];
		double x1 = x_of(p, from->ns), x2 = x_of(p, to->ns);
		unsigned y1 = y_of(p, from) + SLICE / 2, y2 = y_of(p, to) + SLICE / 2;

		if (p->points[i - 1].flow != p->points[i].flow)
			continue;
		fprintf(d->out,
			"<path class=\"a\" marker-end=\"url(#k)\" d=\"M%.2f %u C%.2f %u %.2f %u "
			"%.2f %u\"/>\n",
			x1, y1, x1 + 14, y1, x2 - 14, y2, x2, y2);
	}
}

static void draw_names(const struct drawing *d)
{
	const struct picture *p = d->p;

	for (uint64_t i = 1; i < p->n_tracks; i++) {
		const struct picture_track *t = &p->tracks[i];
		unsigned height = row_height(t);

		if (!t->name || !t->shown)
			continue;
		if (!t->parent)
			fprintf(d->out,
				"<rect class=\"b\" x=\"0\" y=\"%u\" width=\"%d\" height=\"%d\"/>"
				"<text class=\"h\" x=\"8\" y=\"%u\">",
				t->y - GROUP, WIDTH, GROUP - 4, t->y - 9);
		else if (height)
			fprintf(d->out, "<text class=\"d\" x=\"18\" y=\"%u\">", t->y + 11);
		else
			continue;
		put_text(d->out, *t->name ? t->name : "unnamed", NAME_CHARS);
		if (t->kind == TIMELINE_PROCESS || t->kind == TIMELINE_THREAD)
			fprintf(d->out, " %u", t->tid);
		fputs("</text>\n", d->out);
	}
}

static void draw_axis(const struct drawing *d)
{
	uint64_t span = d->p->last_ns - d->p->first_ns, step = 1;
	static const unsigned times[] = { 2, 5, 10 };
	uint64_t first = since(d->p, d->p->first_ns), at;

	/* 1, 2, 5, 10, 20 …: the first step that makes few enough */
	for (uint64_t power = 1; span / step > TICKS; power *= 10)
		for (unsigned i = 0; i < 3 && span / step > TICKS; i++)
			step = power * times[i];
	for (at = (first + step - 1) / step * step; at <= first + span; at += step) {
		double x = x_of(d->p, d->p->first_ns + (at - first));

		fprintf(d->out,
			"<line class=\"g\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%d\" y2=\"%u\"/>"
			"<text class=\"d\" x=\"%.2f\" y=\"%d\">",
			x, x, TOP - 8, d->y, x + 2 < WIDTH - 70 ? x + 2 : WIDTH - 70, TOP - 12);
		put_seconds(d->out, at, step);
		fputs("</text>\n", d->out);
	}
}

struct legend {
	const char *names[LEGEND];
	unsigned n;
};

static void note(struct legend *l, const struct picture_item *item)
{
	if (item->kind != PICTURE_SLICE || l->n == LEGEND)
		return;
	for (unsigned i = 0; i < l->n; i++)
		if (word(l->names[i]) == word(item->name) &&
		    !memcmp(l->names[i], item->name, word(item->name)))
			return;
	l->names[l->n++] = item->name;
}

static void draw_legend(const struct drawing *d)
{
	struct legend l = { .n = 0 };
	unsigned x = 8;

	for (unsigned i = 0; i < d->p->n_items; i++)
		note(&l, &d->p->items[i]);
	for (unsigned i = 0; i < l.n; i++) {
		fprintf(d->out,
			"<rect class=\"c%u\" x=\"%u\" y=\"46\" width=\"10\" height=\"10\"/><text x=\"%u\" "
			"y=\"55\">",
			colour(l.names[i]), x, x + 14);
		xml_text(d->out, l.names[i], word(l.names[i]));
		fputs("</text>\n", d->out);
		x += 28 + (unsigned)word(l.names[i]) * (CHAR + 2);
	}
	fprintf(d->out,
		"<rect class=\"r\" x=\"%u\" y=\"48\" width=\"10\" height=\"%d\"/><text x=\"%u\" "
		"y=\"55\">on a CPU</text>"
		"<path class=\"i\" d=\"M%u 55 l-3 -5 h6 z\"/><text x=\"%u\" y=\"55\">instant</text>"
		"<path class=\"a\" marker-end=\"url(#k)\" d=\"M%u 51 h16\"/><text x=\"%u\" "
		"y=\"55\">leads to</text>\n",
		x, RUN, x + 14, x + 84, x + 92, x + 146, x + 168);
}

static void draw_head(const struct drawing *d)
{
	char span[UNITS_SIZE], when[WALL_TEXT_SIZE] = "";

	if (d->p->wall)
		wall_text(d->p->wall, d->p->first_ns, when);
	fprintf(d->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" role=\"img\">\n<title>timeline of %s</title>\n",
		WIDTH, d->y + FOOT, WIDTH, d->y + FOOT,
		units_ns(span, d->p->last_ns - d->p->first_ns));
	fputs(style, d->out);
	fputs("<defs><marker id=\"k\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"5\" "
	      "markerHeight=\"5\" orient=\"auto\"><path class=\"k\" d=\"M0 0 L6 3 L0 6 z\"/></marker></defs>\n",
	      d->out);
	fprintf(d->out,
		"<rect class=\"bg\" width=\"%d\" height=\"%u\"/>\n"
		"<text class=\"t\" x=\"8\" y=\"24\">%s from %s%smono_ns %" PRIu64 " on</text>\n",
		WIDTH, d->y + FOOT, span, when, when[0] ? ", " : "", d->p->first_ns);
}

static void draw_items(const struct drawing *d, struct picture_item **order)
{
	unsigned n = d->p->n_items, i = 0;

	while (i < n)
		if (order[i]->kind == PICTURE_VALUE)
			i += draw_steps(d, order + i, n - i);
		else
			draw_item(d, order[i++]);
}

int picture_draw(FILE *out, struct picture *p)
{
	struct drawing d = { .out = out, .p = p, .y = TOP };
	struct picture_item **order = pool_take(&p->pool,
						(p->n_items + 1) * sizeof(struct picture_item *));

	if (!order)
		return -ENOMEM;
	for (unsigned i = 0; i < p->n_items; i++)
		order[i] = &p->items[i];
	place_items(p);
	qsort(order, p->n_items, sizeof(struct picture_item *), by_place);
	place_depths(p, order);
	place_rows(&d, 0);
	draw_head(&d);
	draw_legend(&d);
	draw_axis(&d);
	draw_names(&d);
	draw_items(&d, order);
	draw_arrows(&d);
	fputs("</svg>\n", out);
	return 0;
}
