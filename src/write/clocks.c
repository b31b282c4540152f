/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns which pairs of clocks are kept. A week has ten thousand of them; what
 * turns mono_ns into a time afterwards needs each step of the wall clock, and
 * in between a few.
 */
#include "write/clocks.h"

#include <string.h>

#define STEP_NS 500000000 /* more than slewing does from one pair to the next */

/*
 * The difference of the clocks is unsigned and may wrap; how it moved, as a signed number, is
 * right all the same.
 */
static bool is_step(const struct format_clock *before, const struct format_clock *pair)
{
	int64_t moved =
		(int64_t)((pair->real_ns - pair->mono_ns) - (before->real_ns - before->mono_ns));

	return moved > STEP_NS || moved < -STEP_NS;
}

/* Each is compared with the last one kept: a step that several small ones make up is kept, too. */
static void thin_out(struct clocks *c)
{
	unsigned n = 1;

	for (unsigned i = 1; i < c->n; i++)
		if (i % 2 == 0 || is_step(&c->pairs[n - 1], &c->pairs[i]))
			c->pairs[n++] = c->pairs[i];
	/* nothing but steps: the oldest are the least */
	if (n == c->n)
		memmove(&c->pairs[1], &c->pairs[2], (--n - 1) * sizeof(c->pairs[0]));
	c->n = n;
}

void clocks_add(struct clocks *c, const struct format_clock *pair)
{
	if (c->n == CLOCKS_MAX)
		thin_out(c);
	c->pairs[c->n++] = *pair;
}
