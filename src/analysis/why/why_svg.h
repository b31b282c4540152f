/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest operations as a picture: a bar each, its parts one after the other. */
#ifndef IOT_WHY_SVG_H
#define IOT_WHY_SVG_H

#include <stdio.h>

#include "analysis/why/why.h"

/* Of sorted ones. Returns 0 or -ENOMEM. */
int why_svg(FILE *out, const struct why *why);

#endif
