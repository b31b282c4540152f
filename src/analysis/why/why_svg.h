/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest operations as a picture: a bar each, its parts one after the other. */
#pragma once

#include <stdio.h>

#include "analysis/why/why.h"

/* The classes of the parts, with the colour of each on a light ground and on a dark one. */
#define WHY_COLOURS(PART)                                                                          \
	PART(".p0", "#1f7a4d", "#2f9463")                                                          \
	PART(".p1", "#b4560c", "#f0a55f")                                                          \
	PART(".p2", "#74b3e3", "#74b3e3")                                                          \
	PART(".p3", "#0b62a8", "#2f80c9")                                                          \
	PART(".p4", "#7a3e9d", "#9a63bd")                                                          \
	PART(".p5", "#9aa4af", "#5b6470")

extern const char *const why_part_names[WHY_PARTS];
/* The parts of one as rectangles, from left on and y down; scale: units for a nanosecond. */
void why_svg_bar(FILE *out, const struct why_slow *slow, double left, double scale, unsigned y);
/* Of sorted ones. Returns 0 or -ENOMEM. */
int why_svg(FILE *out, const struct why *why);
