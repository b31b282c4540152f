/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table of tracks, and the choice of a lane. */
#include "analysis/timeline/timeline_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"

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

struct timeline_text timeline_worker_name(const struct timeline_tracks *tracks, uint32_t pid,
					  struct timeline_text command,
					  char name[TIMELINE_NAME_SIZE])
{
	const struct timeline_place *process;
	int n;

	if (!timeline_is_worker(command))
		return command;
	process = timeline_find(tracks, OWNER_PROCESS, pid);
	if (!process || !process->n_rings)
		return command;
	n = snprintf(name, TIMELINE_NAME_SIZE, "%.*s (ring %u", (int)command.len, command.text,
		     process->first_ring);
	n += process->n_rings == 1 ? snprintf(name + n, TIMELINE_NAME_SIZE - (size_t)n, ")") :
				     snprintf(name + n, TIMELINE_NAME_SIZE - (size_t)n,
					      " and %u more)", process->n_rings - 1);
	return (struct timeline_text){ name, (size_t)n };
}

/* The command, and in brackets the container in which the process was last. */
static struct timeline_text process_name(const struct timeline_tracks *tracks, uint32_t pid,
					 struct timeline_text command,
					 char name[TIMELINE_NAME_SIZE])
{
	const char *in;
	int n;

	if (!tracks->containers.recorded)
		return command;
	in = process_containers_find(&tracks->containers, pid, UINT64_MAX - 1);
	if (in == process_containers_host || in == process_containers_unknown)
		return command;
	n = snprintf(name, TIMELINE_NAME_SIZE, "%.*s [%s]", (int)command.len, command.text, in);
	return (struct timeline_text){ name, n < TIMELINE_NAME_SIZE ? (size_t)n :
								      TIMELINE_NAME_SIZE - 1 };
}

struct timeline_place *timeline_process(struct timeline_tracks *tracks, uint32_t pid,
					struct timeline_text command)
{
	bool made;
	struct timeline_place *p = place(tracks, OWNER_PROCESS, pid, &made);
	char name[TIMELINE_NAME_SIZE];

	if (p && made)
		tracks->encoder->track(tracks->encoder,
				       &(struct timeline_track){
					       .id = p->track,
					       .kind = TIMELINE_PROCESS,
					       .pid = pid,
					       .tid = pid,
					       .name = process_name(tracks, pid, command, name) });
	return p;
}

struct timeline_place *timeline_thread(struct timeline_tracks *tracks, uint32_t pid, uint32_t tid,
				       struct timeline_text command)
{
	struct timeline_track track = { .pid = pid, .tid = tid, .name = command };
	struct timeline_place *p = timeline_process(tracks, pid, command);
	char name[TIMELINE_NAME_SIZE];
	bool made;

	if (!p)
		return NULL;
	track.parent = p->track;
	p = place(tracks, OWNER_THREAD, tid, &made);
	if (!p)
		return NULL;
	track.id = p->track;
	track.kind = TIMELINE_THREAD;
	if (made)
		track.name = timeline_worker_name(tracks, pid, command, name);
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
		[OWNER_THREAD] = { "overlapping", 11 }, [OWNER_RING] = { "requests", 8 },
		[OWNER_DEVICE] = { "requests", 8 },     [OWNER_LOST] = { "lost", 4 },
		[OWNER_RECORDING] = { "sampling", 8 },
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
		/*
		 * readers take slices of a track for nested: one that ends after the open one
		 * goes to a lane
		 */
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

struct timeline_place *timeline_find(const struct timeline_tracks *tracks,
				     enum timeline_owner owner, uint64_t key)
{
	struct timeline_place *p = tracks->size ? slot(tracks->places, tracks->size, owner, key) :
						  NULL;

	return p && p->owner ? p : NULL;
}

static struct timeline_counts *counts_of(struct timeline_tracks *tracks, struct timeline_place *p,
					 enum timeline_counter counter)
{
	static const char *const names[N_COUNTERS] = {
		[COUNTER_IN_FLIGHT] = "in flight",
		[COUNTER_QUEUE_DEPTH] = "queue depth",
		[COUNTER_THROUGHPUT] = "throughput (B/s)",
		[COUNTER_SQ_FILL] = "submission queue",
		[COUNTER_CQ_FILL] = "completions not reaped",
		[COUNTER_WORKERS] = "io-wq workers",
		[COUNTER_WRITTEN] = "events written",
		[COUNTER_LOST] = "events lost",
		[COUNTER_RECORDS] = "events recorded",
		[COUNTER_SKIPPED] = "programs skipped",
		[COUNTER_NOT_RELATED] = "events not related",
		[COUNTER_BAD] = "events damaged",
	};

	if (!p->counts)
		p->counts = calloc(1, sizeof(*p->counts));
	if (!p->counts) {
		tracks->no_memory = true;
		return NULL;
	}
	if (!p->counts->tracks[counter]) {
		p->counts->tracks[counter] = ++tracks->n_ids;
		tracks->encoder->track(tracks->encoder,
				       &(struct timeline_track){
					       .id = tracks->n_ids,
					       .parent = p->track,
					       .kind = TIMELINE_COUNTER,
					       .name = { names[counter],
							 strlen(names[counter]) } });
	}
	return p->counts;
}

void timeline_value(struct timeline_tracks *tracks, struct timeline_place *p,
		    enum timeline_counter counter, uint64_t ns, int64_t value)
{
	struct timeline_counts *counts = counts_of(tracks, p, counter);

	if (!counts)
		return;
	counts->values[counter] = value;
	tracks->encoder->event(tracks->encoder,
			       &(struct timeline_event){ .ns = ns,
							 .track = counts->tracks[counter],
							 .kind = TIMELINE_VALUE,
							 .value = value });
}

void timeline_count(struct timeline_tracks *tracks, struct timeline_place *p,
		    enum timeline_counter counter, uint64_t ns, int64_t change)
{
	timeline_value(tracks, p, counter, ns,
		       (p->counts ? p->counts->values[counter] : 0) + change);
}

void timeline_tracks_free(struct timeline_tracks *tracks)
{
	for (unsigned i = 0; i < tracks->size; i++) {
		free(tracks->places[i].lanes);
		free(tracks->places[i].counts);
	}
	free(tracks->places);
	*tracks = (struct timeline_tracks){ 0 };
}
