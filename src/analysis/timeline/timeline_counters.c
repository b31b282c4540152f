/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the changes that wait: a heap by their time. */
#include "analysis/timeline/timeline_counters.h"

#include <stdlib.h>

/* What ends goes before what begins at the same time: they were not there together. */
static bool before(const struct timeline_change *a, const struct timeline_change *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->change < b->change;
}

static void swap(struct timeline_change *a, struct timeline_change *b)
{
	struct timeline_change c = *a;

	*a = *b;
	*b = c;
}

static void put(struct timeline_changes *c, const struct timeline_change *change)
{
	unsigned i = c->n++;

	c->heap[i] = *change;
	for (; i && before(&c->heap[i], &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&c->heap[i], &c->heap[(i - 1) / 2]);
}

static struct timeline_change take(struct timeline_changes *c)
{
	struct timeline_change first = c->heap[0];
	unsigned i = 0;

	c->heap[0] = c->heap[--c->n];
	for (;;) {
		unsigned least = i, left = 2 * i + 1;

		if (left < c->n && before(&c->heap[left], &c->heap[least]))
			least = left;
		if (left + 1 < c->n && before(&c->heap[left + 1], &c->heap[least]))
			least = left + 1;
		if (least == i)
			return first;
		swap(&c->heap[i], &c->heap[least]);
		i = least;
	}
}

static void put_first(struct timeline_changes *c, struct timeline_tracks *tracks)
{
	struct timeline_change change = take(c);
	struct timeline_place *place = timeline_find(tracks, change.owner, change.key);

	/* one that came too late cannot go before what is out */
	if (change.ns > c->last_ns)
		c->last_ns = change.ns;
	if (place)
		timeline_count(tracks, place, change.counter, c->last_ns, change.change);
}

void timeline_later(struct timeline_changes *c, struct timeline_tracks *tracks,
		    const struct timeline_change *change)
{
	if (!c->heap)
		c->heap = calloc(TIMELINE_WAITING, sizeof(*c->heap));
	if (!c->heap) {
		tracks->no_memory = true;
		return;
	}
	if (c->n == TIMELINE_WAITING)
		put_first(c, tracks);
	put(c, change);
}

void timeline_changes_end(struct timeline_changes *c, struct timeline_tracks *tracks)
{
	while (c->n)
		put_first(c, tracks);
	free(c->heap);
	*c = (struct timeline_changes){ 0 };
}
