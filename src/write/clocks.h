/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pairs of clocks of a session, for the manifest, however long it takes. */
#pragma once

#include "row/format.h"

enum { CLOCKS_MAX = 256 };

/* Zeroed: none yet. */
struct clocks {
	struct format_clock pairs[CLOCKS_MAX];
	unsigned n;
};

/*
 * When there is no room, every other one goes, but neither the first nor one at which the
 * clock was set. Pairs come in the order of their times.
 */
void clocks_add(struct clocks *clocks, const struct format_clock *pair);
