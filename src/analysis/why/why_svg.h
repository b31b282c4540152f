/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest operations as a picture: a bar each, its parts one after the other. */
#pragma once

#include <stdio.h>

#include "analysis/why/why.h"

extern const char *const why_part_names[WHY_PARTS];
/* The parts of one as rectangles, from left on and y down; scale: units for a nanosecond. */
void why_svg_bar(FILE *out, const struct why_slow *slow, double left, double scale, unsigned y);
/* Of sorted ones. Returns 0 or -ENOMEM. */
int why_svg(FILE *out, const struct why *why);
