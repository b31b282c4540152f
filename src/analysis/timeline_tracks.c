/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table of tracks, and the choice of a lane. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/timeline_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hash.h"

enum { FIRST_SIZE = 256 };

static struct timeline_place *slot(struct timeline_place *places, unsigned size,
				   enum timeline_owner owner, uint64_t key)
{
	unsigned i = (unsigned)hash_mix(owner, key) & (size - 1);

	while (places[i].owner && (places[i].owner != owner || places[i].key != key))
		i = (i + 1) & (size - 1);
	return &places[i];
}

static bool grow(struct timeline_tracks *tracks)
{
	unsigned size = tracks->size ? tracks->size * 2 : FIRST_SIZE;
	struct timeline_place *places = calloc(size, sizeof(*places));

	if (!places) {
		tracks->no_memory = true;
		return false;
	}
	for (unsigned i = 0; i < tracks->size; i++)
		if (tracks->places[i].owner)
			*slot(places, size, tracks->places[i].owner,
			      tracks->places[i].key) = tracks->places[i];
	free(tracks->places);
	tracks->places = places;
	tracks->size = size;
	return true;
}

/* *made: it was not there before, and has no track yet */
static struct timeline_place *place(struct timeline_tracks *tracks, enum timeline_owner owner,
				    uint64_t key, bool *made)
{
	struct timeline_place *p;

	*made = false;
	if (tracks->n_places * 2 >= tracks->size && !grow(tracks))
		return NULL;
	p = slot(tracks->places, tracks->size, owner, key);
	if (p->owner)
		return p;
	*made = true;
	tracks->n_places++;
	*p = (struct timeline_place){ .key = key, .owner = owner, .track = ++tracks->n_ids };
	return p;
}

struct timeline_place *timeline_thread(struct timeline_tracks *tracks, uint32_t pid, uint32_t tid,
				       struct timeline_text command)
{
	struct timeline_track track = { .pid = pid, .tid = tid, .name = command };
	struct timeline_place *p;
	bool made;

	p = place(tracks, OWNER_PROCESS, pid, &made);
	if (!p)
		return NULL;
	track.id = p->track;
	track.kind = TIMELINE_PROCESS;
	if (made)
		tracks->encoder->track(tracks->encoder, &track);
	track.parent = p->track;
	p = place(tracks, OWNER_THREAD, tid, &made);
	if (!p)
		return NULL;
	track.id = p->track;
	track.kind = TIMELINE_THREAD;
	if (made)
		tracks->encoder->track(tracks->encoder, &track);
	return p;
}

struct timeline_place *timeline_group(struct timeline_tracks *tracks, enum timeline_owner owner,
				      uint64_t key, struct timeline_text name)
{
	bool made;
	struct timeline_place *p = place(tracks, owner, key, &made);

	if (p && made)
		tracks->encoder->track(tracks->encoder,
				       &(struct timeline_track){ .id = p->track,
								 .kind = TIMELINE_GROUP,
								 .name = name });
	return p;
}

static struct timeline_lane *add_lane(struct timeline_tracks *tracks, struct timeline_place *p)
{
	static const struct timeline_text names[] = {
		[OWNER_THREAD] = { "overlapping", 11 },
		[OWNER_RING] = { "requests", 8 },
		[OWNER_DEVICE] = { "requests", 8 },
		[OWNER_LOST] = { "lost", 4 },
	};
	struct timeline_lane *lanes = realloc(p->lanes, (p->n_lanes + 1) * sizeof(*lanes));

	if (!lanes) {
		tracks->no_memory = true;
		return NULL;
	}
	p->lanes = lanes;
	lanes[p->n_lanes] = (struct timeline_lane){ .track = ++tracks->n_ids };
	tracks->encoder->track(tracks->encoder,
			       &(struct timeline_track){ .id = tracks->n_ids,
							 .parent = p->track,
							 .kind = TIMELINE_GROUP,
							 .name = names[p->owner] });
	return &lanes[p->n_lanes++];
}

/*
 * Slices come by their starts (requests of rings) or by their ends (those of
 * devices). Of the lanes that are free at the start, the one used last leaves
 * the others to slices that began earlier: no more lanes than slices overlap.
 */
struct timeline_lane *timeline_lane(struct timeline_tracks *tracks, struct timeline_place *p,
				    uint64_t start_ns)
{
	struct timeline_lane *best = NULL;

	for (unsigned i = 0; i < p->n_lanes; i++) {
		struct timeline_lane *lane = &p->lanes[i];

		if (!lane->busy && lane->end_ns <= start_ns &&
		    (!best || lane->end_ns > best->end_ns))
			best = lane;
	}
	return best ? best : add_lane(tracks, p);
}

uint64_t timeline_nested(struct timeline_tracks *tracks, struct timeline_place *p,
			 uint64_t start_ns, uint64_t end_ns)
{
	struct timeline_lane *lane;

	/* a row that came late may lie before slices that are closed by now */
	if (start_ns >= p->last_ns) {
		while (p->depth && p->ends[p->depth - 1] <= start_ns)
			p->depth--;
		if (p->depth < TIMELINE_DEPTH && (!p->depth || end_ns <= p->ends[p->depth - 1])) {
			p->ends[p->depth++] = end_ns;
			p->last_ns = start_ns;
			return p->track;
		}
	}
	lane = timeline_lane(tracks, p, start_ns);
	if (!lane)
		return p->track;
	lane->end_ns = end_ns;
	return lane->track;
}

void timeline_count(struct timeline_tracks *tracks, struct timeline_place *p, uint64_t ns,
		    int change)
{
	if (!p->value_track) {
		p->value_track = ++tracks->n_ids;
		tracks->encoder->track(tracks->encoder,
				       &(struct timeline_track){ .id = p->value_track,
								 .parent = p->track,
								 .kind = TIMELINE_COUNTER,
								 .name = { "in flight", 9 } });
	}
	p->value += change;
	tracks->encoder->event(tracks->encoder, &(struct timeline_event){ .ns = ns,
									  .track = p->value_track,
									  .kind = TIMELINE_VALUE,
									  .value = p->value });
}

void timeline_tracks_free(struct timeline_tracks *tracks)
{
	for (unsigned i = 0; i < tracks->size; i++)
		free(tracks->places[i].lanes);
	free(tracks->places);
	*tracks = (struct timeline_tracks){ 0 };
}
