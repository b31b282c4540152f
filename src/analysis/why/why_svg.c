/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where things are in the picture of the slowest operations. Knows no more of these than their pieces. */
#include "analysis/why/why_svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/picture_style.h"
#include "analysis/common/table.h"
#include "analysis/common/units.h"
#include "analysis/common/xml_text.h"

enum {
	WIDTH = 960,
	LEFT = 24,
	TOP = 96,
	ROW = 40,
	BAR = 14,
	FOOT = 24,
	PLANE = WIDTH - 2 * LEFT,
	NAME_CHARS = 90
};

#define LIGHT(name, column, heading, words, letter, class, light, dark)                            \
	class "{fill:" light ";color:" light "}"
#define DARK(name, column, heading, words, letter, class, light, dark)                             \
	class "{fill:" dark ";color:" dark "}"
static const char style[] = PICTURE_STYLE("12px", "18px", "#d5dae0", "#343b43",
					  WHY_EACH_PART(LIGHT), WHY_EACH_PART(DARK));

#define WORDS(name, column, heading, words, ...) words,
const char *const why_part_names[WHY_PARTS] = { WHY_EACH_PART(WORDS) };

static void put_ns(FILE *out, uint64_t ns)
{
	char text[UNITS_SIZE];

	fputs(units_ns(text, ns), out);
}

static void put_head(FILE *out, const struct why *why)
{
	unsigned height = TOP + ROW * (unsigned)why->n_slowest + FOOT, x = LEFT;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" role=\"img\" aria-label=\"the slowest operations\">\n%s"
		"<rect class=\"bg\" width=\"%d\" height=\"%u\"/>\n"
		"<text class=\"t\" x=\"%d\" y=\"32\">Where the time of the slowest operations went</text>\n"
		"<text class=\"d\" x=\"%d\" y=\"52\">each with its parts in their order; within a sleep the queue of a device stands first, then the device, then the rest</text>\n",
		WIDTH, height, WIDTH, height, style, WIDTH, height, LEFT, LEFT);
	for (unsigned i = 0; i < WHY_PARTS; i++) {
		fprintf(out,
			"<rect class=\"p%u\" x=\"%u\" y=\"66\" width=\"12\" height=\"12\"/>"
			"<text x=\"%u\" y=\"76\">%s</text>\n",
			i, x, x + 18, why_part_names[i]);
		x += 40 + 7 * (unsigned)strlen(why_part_names[i]);
	}
}

static void put_label(FILE *out, struct table *text, const struct why_slow *s, unsigned y)
{
	const struct why_operation *o = &s->operation;
	const char *command = o->command ? o->command : "?", *name;
	size_t len;

	fprintf(out, "<text x=\"%d\" y=\"%u\">", LEFT, y);
	put_ns(out, o->latency);
	fprintf(out, " %s ", why_operation_name(o));
	name = table_escaped(text, command, strlen(command), &len);
	xml_text(out, name, len);
	fprintf(out, " (%u) ", o->who.tid);
	name = table_escaped(text, o->path, o->path_len, &len);
	xml_text_end(out, name, len, NAME_CHARS);
	fputs("</text>\n", out);
}

static void put_piece(FILE *out, const struct why_piece *piece, double x, double width, unsigned y)
{
	fprintf(out,
		"<rect class=\"p%u\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"><title>%s ",
		piece->part, x, y, width, BAR, why_part_names[piece->part]);
	put_ns(out, piece->ns);
	fputs("</title></rect>\n", out);
}

/* What there are too many pieces for is not known, in the picture. */
void why_svg_bar(FILE *out, const struct why_slow *s, double left, double scale, unsigned y)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < s->split.n_pieces; i++) {
		const struct why_piece *piece = &s->split.pieces[i];

		put_piece(out, piece, left + (double)at * scale, (double)piece->ns * scale, y);
		at += piece->ns;
	}
	if (at < s->operation.latency)
		put_piece(out, &(struct why_piece){ s->operation.latency - at, WHY_UNKNOWN },
			  left + (double)at * scale, (double)(s->operation.latency - at) * scale,
			  y);
}

int why_svg(FILE *out, const struct why *why)
{
	uint64_t longest = why->n_slowest ? why->slowest[0].operation.latency : 0;
	double scale = longest ? (double)PLANE / (double)longest : 0;
	/* only for its room: table_escaped() makes names safe to show */
	struct table text = { .out = out };
	bool no_memory;

	put_head(out, why);
	for (uint64_t i = 0; i < why->n_slowest; i++) {
		unsigned y = TOP + ROW * (unsigned)i;

		put_label(out, &text, &why->slowest[i], y + 12);
		why_svg_bar(out, &why->slowest[i], LEFT, scale, y + 18);
	}
	fputs("</svg>\n", out);
	no_memory = text.no_memory;
	free(text.scratch);
	return no_memory ? -ENOMEM : 0;
}
