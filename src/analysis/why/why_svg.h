/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest operations as a picture: a bar each, its parts one after the other. */
#ifndef IOT_WHY_SVG_H
#define IOT_WHY_SVG_H

#include <stdio.h>

#include "analysis/why/why.h"

/* Rules for the parts' colours, by class p0 to p5 behind a prefix: on a light ground and on a dark one. */
#define WHY_PART_COLOUR(class, colour) class "{fill:" colour ";color:" colour "}"
#define WHY_PART_COLOURS(prefix, p0, p1, p2, p3, p4, p5)                                           \
	WHY_PART_COLOUR(prefix ".p0", p0)                                                          \
	WHY_PART_COLOUR(prefix ".p1", p1)                                                          \
	WHY_PART_COLOUR(prefix ".p2", p2)                                                          \
	WHY_PART_COLOUR(prefix ".p3", p3)                                                          \
	WHY_PART_COLOUR(prefix ".p4", p4)                                                          \
	WHY_PART_COLOUR(prefix ".p5", p5)
#define WHY_LIGHT_COLOURS(prefix)                                                                  \
	WHY_PART_COLOURS(prefix, "#1f7a4d", "#b4560c", "#74b3e3", "#0b62a8", "#7a3e9d", "#9aa4af")
#define WHY_DARK_COLOURS(prefix)                                                                   \
	WHY_PART_COLOURS(prefix, "#2f9463", "#f0a55f", "#74b3e3", "#2f80c9", "#9a63bd", "#5b6470")

extern const char *const why_part_names[WHY_PARTS];
/* The parts of one as rectangles, from left on and y down; scale: units for a nanosecond. */
void why_svg_bar(FILE *out, const struct why_slow *slow, double left, double scale, unsigned y);
/* Of sorted ones. Returns 0 or -ENOMEM. */
int why_svg(FILE *out, const struct why *why);

#endif
