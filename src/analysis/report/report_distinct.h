/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many different things there were, by their hashes: exactly up to some, then about, in bounded memory. */
#pragma once

#include <stdint.h>

enum { REPORT_DISTINCT = 64 };

/* The zeroed one is empty. The smallest hashes, in their order: the closer they are, the more there were. */
struct report_distinct {
	uint64_t hashes[REPORT_DISTINCT];
	unsigned n;
};

void report_distinct_add(struct report_distinct *distinct, uint64_t hash);
void report_distinct_join(struct report_distinct *distinct, const struct report_distinct *other);
/* Within an eighth, mostly. */
double report_distinct_count(const struct report_distinct *distinct);
