/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the estimate: of hashes that lie anywhere, the k-th smallest tells how many there are. */
#include "analysis/report/report_distinct.h"

#include <string.h>

/* Hashes of names that are nearly the same lie in a pattern: each bit has to decide about all of them. */
static uint64_t spread(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return hash ^ hash >> 33;
}

static void add(struct report_distinct *distinct, uint64_t hash)
{
	uint64_t *hashes = distinct->hashes;
	unsigned at = distinct->n;

	if (at == REPORT_DISTINCT && hash >= hashes[at - 1])
		return;
	while (at && hashes[at - 1] >= hash)
		at--;
	if (at < distinct->n && hashes[at] == hash)
		return;
	if (distinct->n < REPORT_DISTINCT)
		distinct->n++;
	memmove(hashes + at + 1, hashes + at, (distinct->n - at - 1) * sizeof(*hashes));
	hashes[at] = hash;
}

void report_distinct_add(struct report_distinct *distinct, uint64_t hash)
{
	add(distinct, spread(hash));
}

void report_distinct_join(struct report_distinct *distinct, const struct report_distinct *other)
{
	for (unsigned i = 0; i < other->n; i++)
		add(distinct, other->hashes[i]);
}

double report_distinct_count(const struct report_distinct *distinct)
{
	if (distinct->n < REPORT_DISTINCT)
		return distinct->n;
	return (REPORT_DISTINCT - 1) * 0x1p64 / (double)distinct->hashes[REPORT_DISTINCT - 1];
}
