/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text in parts that are compiled side by side: each has all declarations and
 * some of the programs. Programs begin with "int iot_" in the first column and
 * end with "}" there; whatever else they are made of is in every part.
 */
#pragma once

#include "image/image.h"
#include "plan/plan.h"

enum { GROUPS_MAX = 8 };

/* How many programs of the text the plan needs; without a plan: all. */
unsigned groups_programs(const char *text, const struct plan *plan);

/*
 * So many parts: no more than CPUs that nobody uses, and than are worth reading the declarations
 * again.
 */
unsigned groups_wanted(unsigned n_programs);

/* Part i of n, with as many lines as the text, to be freed; NULL without memory. */
char *groups_text(const char *text, const struct plan *plan, unsigned i, unsigned n);

/* Moves the programs of another part, whose maps must be the same. Returns 0 or -errno. */
int groups_merge(struct image *image, struct image *part);
