/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the union of spans, in bounded memory. */
#include "analysis/common/busy.h"

#include <string.h>

uint64_t busy_ns(const struct busy *busy)
{
	uint64_t ns = busy->ns;

	for (unsigned i = 0; i < busy->n; i++)
		ns += busy->spans[i].to - busy->spans[i].from;
	return ns;
}

/* What is as old as the first one is never reached again, or counted as if it were not. */
static void drop_first(struct busy *busy)
{
	busy->ns += busy->spans[0].to - busy->spans[0].from;
	busy->floor = busy->spans[0].to;
	busy->n--;
	memmove(busy->spans, busy->spans + 1, busy->n * sizeof(busy->spans[0]));
}

void busy_add(struct busy *busy, uint64_t from, uint64_t to)
{
	if (busy->n && to < busy->spans[busy->n - 1].from)
		*busy = (struct busy){ .ns = busy_ns(busy) };
	if (from < busy->floor)
		from = busy->floor;
	/* all that it touches become one with it */
	while (busy->n && busy->spans[busy->n - 1].to >= from) {
		if (busy->spans[busy->n - 1].from < from)
			from = busy->spans[busy->n - 1].from;
		if (busy->spans[busy->n - 1].to > to)
			to = busy->spans[busy->n - 1].to;
		busy->n--;
	}
	if (busy->n == BUSY_SPANS)
		drop_first(busy);
	busy->spans[busy->n++] = (struct busy_span){ from, to };
}
