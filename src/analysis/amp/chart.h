/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Charts as SVG files that stand alone: title, unit, legend, axis, and each value as the title of
 * its shape. Light and dark; no script, nothing that is loaded.
 */
#pragma once

#include "analysis/common/table.h"

enum chart_scale { CHART_LINEAR, CHART_LOG };
enum { CHART_SERIES = 6 };

struct chart {
	const char *title, *unit;
	enum table_type type; /* of its values */
	enum chart_scale scale;
	const char *series[CHART_SERIES + 1]; /* up to NULL */
	uint64_t line;                        /* drawn across; 0: none */
	const char *line_text;                /* what it is */
};

struct chart_value {
	bool known;
	uint64_t u;
	uint64_t mark; /* a tick at another value; 0: none */
};

struct chart_row {
	const char *name; /* any bytes */
	struct chart_value values[CHART_SERIES];
};

/* Bars from left to right, those of a row below each other. Returns 0 or -ENOMEM. */
int chart_bars(FILE *out, const struct chart *chart, const struct chart_row *rows, uint64_t n);

struct chart_point {
	const char *name; /* any bytes */
	unsigned series;
	uint64_t x, y;
};

/*
 * Across: x of this type and unit. A line at the end of each band, of which the last one is 0 and
 * has a name alone.
 */
struct chart_plane {
	enum table_type x_type;
	const char *x_unit;
	const uint64_t *bands;
	const char *const *band_names;
};

/*
 * Both axes are logarithmic; what is 0 lies on the edge. chart->line is 1 of its unit, and is in
 * the picture. Returns 0 or -ENOMEM.
 */
int chart_points(FILE *out, const struct chart *chart, const struct chart_plane *plane,
		 const struct chart_point *points, uint64_t n);
