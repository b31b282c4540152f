/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the edges. A slice waits until its end is known, or until something happens in it: only then it
 * is known whether it lies in the part. Of each counter the last value before it is kept, and
 * of each thread the last stay on a CPU, which says what it has been waiting for since.
 */
#include "analysis/timeline/timeline_window.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"

enum { FIRST_SIZE = 256 };

/* The kernel's bits of a thread that has ended: X and Z. */
enum { STATE_ENDED = 1 << 4 | 1 << 5 };

struct track {
	struct timeline_track track;
	char *name; /* its copy; NULL: a constant */
	bool known, told;
	bool has_value; /* of a counter, before the part */
	int64_t value;
	unsigned n_left_out;         /* slices behind it, whose ends are to come */
	struct timeline_event begun; /* a slice that waits; its texts are in text */
	bool waits;
	char *text;
	size_t room;
};

struct thread {
	uint32_t tid; /* 0: nobody's place */
	uint64_t track;
	bool has_run; /* that ended before the part, and nothing came since */
	struct timeline_run run;
	char name[80];
};

struct window {
	struct timeline_encoder encoder;
	struct timeline_encoder *to;
	uint64_t from_ns, to_ns;
	struct track *tracks; /* by id */
	uint64_t n_tracks;
	struct thread *threads; /* open addressing */
	unsigned n_threads, size;
	uint64_t n_events, n_slices;
	bool no_memory;
};

static const struct timeline_argument cut_before = { .name = "cut",
						     .text = "began before",
						     .len = 12 };
static const struct timeline_argument cut_behind = { .name = "cut", .text = "goes on", .len = 7 };
static const struct timeline_argument cut_both = { .name = "cut",
						   .text = "began before, goes on",
						   .len = 21 };

/* ---- tracks ---- */

static struct track *track_of(struct window *w, uint64_t id)
{
	const uint64_t n = w->n_tracks;

	if (!grow(&w->tracks, &w->n_tracks, id + 1, FIRST_SIZE, sizeof(*w->tracks))) {
		w->no_memory = w->encoder.full = true;
		return NULL;
	}
	memset(w->tracks + n, 0, (w->n_tracks - n) * sizeof(*w->tracks));
	return &w->tracks[id];
}

/* Those that nothing happens on are not there. */
static void tell_track(struct window *w, uint64_t id)
{
	struct track *track = id < w->n_tracks ? &w->tracks[id] : NULL;

	if (!track || !track->known || track->told)
		return;
	track->told = true;
	tell_track(w, track->track.parent);
	w->to->track(w->to, &track->track);
}

static void hand_on(struct window *w, const struct timeline_event *e)
{
	tell_track(w, e->track);
	w->to->event(w->to, e);
	w->n_events++;
	w->encoder.full = w->encoder.full || w->to->full;
}

/* ---- threads ---- */

static struct thread *place_of(struct thread *threads, unsigned size, uint32_t tid)
{
	unsigned i = (unsigned)hash_mix(1, tid) & (size - 1);

	while (threads[i].tid && threads[i].tid != tid)
		i = (i + 1) & (size - 1);
	return &threads[i];
}

static bool grow_threads(struct window *w)
{
	unsigned size = w->size ? w->size * 2 : FIRST_SIZE;
	struct thread *threads = calloc(size, sizeof(*threads));

	if (!threads) {
		w->no_memory = w->encoder.full = true;
		return false;
	}
	for (unsigned i = 0; i < w->size; i++)
		if (w->threads[i].tid)
			*place_of(threads, size, w->threads[i].tid) = w->threads[i];
	free(w->threads);
	w->threads = threads;
	w->size = size;
	return true;
}

static struct thread *thread_of(struct window *w, uint32_t tid)
{
	struct thread *thread;

	if (w->n_threads * 2 >= w->size && !grow_threads(w))
		return NULL;
	thread = place_of(w->threads, w->size, tid);
	w->n_threads += !thread->tid;
	thread->tid = tid;
	return thread;
}

static void window_track(struct timeline_encoder *encoder, const struct timeline_track *given)
{
	struct window *w = (struct window *)encoder;
	struct track *track = track_of(w, given->id);
	/* those of counters are constants, which an encoder may know by their place */
	char *name = given->kind == TIMELINE_COUNTER ? NULL : malloc(given->name.len + 1);
	struct thread *thread;

	if (!track || (!name && given->kind != TIMELINE_COUNTER)) {
		w->no_memory = w->encoder.full = true;
		free(name);
		return;
	}
	track->track = *given;
	track->name = name;
	if (name) {
		memcpy(name, given->name.text, given->name.len);
		track->track.name.text = name;
	}
	track->known = true;
	thread = given->kind == TIMELINE_THREAD && given->tid ? thread_of(w, given->tid) : NULL;
	if (thread)
		thread->track = given->id;
}

/* ---- slices ---- */

static char *keep(char **at, const char *text, size_t len)
{
	char *kept = *at;

	memcpy(kept, text, len);
	*at += len;
	return kept;
}

/* The event with its texts, which are the caller's. */
static void wait_for_end(struct window *w, struct track *track, const struct timeline_event *e)
{
	size_t size = e->name.len + 1;
	char *at;

	for (unsigned i = 0; i < e->n_arguments; i++)
		size += e->arguments[i].text ? e->arguments[i].len : 0;
	if (size > track->room) {
		at = realloc(track->text, size);
		if (!at) {
			w->no_memory = w->encoder.full = true;
			return;
		}
		track->text = at;
		track->room = size;
	}
	at = track->text;
	track->begun = *e;
	track->begun.name.text = keep(&at, e->name.text, e->name.len);
	for (unsigned i = 0; i < e->n_arguments; i++)
		if (e->arguments[i].text)
			track->begun.arguments[i].text = keep(&at, e->arguments[i].text,
							      e->arguments[i].len);
	track->waits = true;
}

/* The slice that waits lies in the part, or reaches into it; to end_ns, or nobody knows yet: 0. */
static void begin(struct window *w, struct track *track, uint64_t end_ns)
{
	struct timeline_event *e = &track->begun;
	bool before = e->ns<w->from_ns, behind = end_ns> w->to_ns;

	/* of many arguments, the mark takes the place of the last */
	if ((before || behind) && e->n_arguments == TIMELINE_MAX_ARGUMENTS)
		e->n_arguments--;
	if (before || behind)
		e->arguments[e->n_arguments++] = before && behind ? cut_both :
						 before           ? cut_before :
								    cut_behind;
	if (before)
		e->ns = w->from_ns;
	track->waits = false;
	w->n_slices++;
	hand_on(w, e);
}

static void end_slice(struct window *w, struct track *track, const struct timeline_event *given)
{
	struct timeline_event e = *given, mark;

	/* slices are nested: those that began behind the part end first */
	if (track->n_left_out) {
		track->n_left_out--;
		return;
	}
	if (track->waits && track->begun.ns < w->from_ns && e.ns <= w->from_ns) {
		track->waits = false;
		return;
	}
	if (e.ns > w->to_ns)
		e.ns = w->to_ns;
	if (track->waits) {
		begin(w, track, given->ns);
	} else if (given->ns > w->to_ns) {
		mark = (struct timeline_event){ .kind = TIMELINE_INSTANT,
						.ns = w->to_ns,
						.track = e.track,
						.name = { cut_behind.text, cut_behind.len } };
		hand_on(w, &mark);
	}
	hand_on(w, &e);
}

static void window_event(struct timeline_encoder *encoder, const struct timeline_event *e)
{
	struct window *w = (struct window *)encoder;
	struct track *track = w->no_memory ? NULL : track_of(w, e->track);

	if (!track)
		return;
	if (e->kind == TIMELINE_END) {
		end_slice(w, track, e);
		return;
	}
	if (e->ns >= w->to_ns) {
		track->n_left_out += e->kind == TIMELINE_BEGIN;
		return;
	}
	if (e->kind == TIMELINE_BEGIN) {
		wait_for_end(w, track, e);
		return;
	}
	if (e->ns < w->from_ns) {
		track->has_value = e->kind == TIMELINE_VALUE;
		track->value = e->value;
		return;
	}
	if (track->waits)
		begin(w, track, 0);
	if (track->has_value && e->ns > w->from_ns)
		hand_on(w, &(struct timeline_event){ .kind = TIMELINE_VALUE,
						     .ns = w->from_ns,
						     .track = e->track,
						     .value = track->value });
	track->has_value = false;
	hand_on(w, e);
}

/* ---- runs ---- */

static void hand_on_run(struct window *w, const struct thread *thread,
			const struct timeline_run *run)
{
	if (thread)
		tell_track(w, thread->track);
	w->to->run(w->to, run);
	w->n_events++;
	w->encoder.full = w->encoder.full || w->to->full;
}

/* What the thread has been waiting for since before: a stay of no length, in nobody's time. */
static void tell_state(struct window *w, struct thread *thread)
{
	if (!thread->has_run || thread->run.state & STATE_ENDED)
		return;
	thread->has_run = false;
	thread->run.ns = w->from_ns ? w->from_ns - 1 : 0;
	thread->run.run_ns = thread->run.woken_ns = 0;
	hand_on_run(w, thread, &thread->run);
}

static void keep_run(struct thread *thread, const struct timeline_run *run)
{
	size_t n = run->name.len < sizeof(thread->name) ? run->name.len : sizeof(thread->name);

	if (thread->has_run && thread->run.ns > run->ns)
		return;
	memcpy(thread->name, run->name.text, n);
	thread->run = *run;
	thread->run.name = (struct timeline_text){ thread->name, n };
	thread->has_run = true;
}

static void window_run(struct timeline_encoder *encoder, const struct timeline_run *given)
{
	struct window *w = (struct window *)encoder;
	struct timeline_run run = *given;
	uint64_t end = run.ns + run.run_ns;
	struct thread *thread;

	if (w->no_memory || run.ns >= w->to_ns)
		return;
	thread = run.tid ? thread_of(w, run.tid) : NULL;
	if (end <= w->from_ns && run.ns < w->from_ns) {
		if (thread)
			keep_run(thread, given);
		return;
	}
	if (run.woken_ns < w->from_ns)
		run.woken_ns = 0;
	if (run.ns < w->from_ns)
		run.ns = w->from_ns;
	else if (thread)
		tell_state(w, thread);
	/* it stays on its CPU */
	if (end > w->to_ns) {
		end = w->to_ns;
		run.state = 0;
	}
	run.run_ns = end - run.ns;
	if (thread)
		thread->has_run = false;
	hand_on_run(w, thread, &run);
}

static void window_stack(struct timeline_encoder *encoder, const struct timeline_stack *stack)
{
	struct window *w = (struct window *)encoder;

	if (stack->ns < w->from_ns || stack->ns >= w->to_ns)
		return;
	w->to->stack(w->to, stack);
	w->n_events++;
}

/* ---- all of it ---- */

static void window_start(struct timeline_encoder *encoder, const char *release)
{
	struct window *w = (struct window *)encoder;

	w->to->start(w->to, release);
}

static int window_finish(struct timeline_encoder *encoder)
{
	struct window *w = (struct window *)encoder;

	for (uint64_t i = 0; i < w->n_tracks; i++)
		if (w->tracks[i].has_value && w->tracks[i].value)
			hand_on(w, &(struct timeline_event){ .kind = TIMELINE_VALUE,
							     .ns = w->from_ns,
							     .track = i,
							     .value = w->tracks[i].value });
	for (unsigned i = 0; i < w->size; i++)
		tell_state(w, &w->threads[i]);
	return w->to->finish ? w->to->finish(w->to) : 0;
}

static void window_free(struct timeline_encoder *encoder)
{
	struct window *w = (struct window *)encoder;

	for (uint64_t i = 0; i < w->n_tracks; i++) {
		free(w->tracks[i].name);
		free(w->tracks[i].text);
	}
	free(w->tracks);
	free(w->threads);
	free(w);
}

struct timeline_encoder *timeline_window(struct timeline_encoder *to, uint64_t from_ns,
					 uint64_t to_ns)
{
	struct window *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->encoder = (struct timeline_encoder){
		.start = window_start,
		.track = window_track,
		.event = window_event,
		.run = window_run,
		.stack = to->stack ? window_stack : NULL,
		.finish = window_finish,
		.free = window_free,
		.out = to->out,
	};
	w->to = to;
	w->from_ns = from_ns;
	w->to_ns = to_ns;
	return &w->encoder;
}

uint64_t timeline_window_events(const struct timeline_encoder *window)
{
	return ((const struct window *)window)->n_events;
}

uint64_t timeline_window_slices(const struct timeline_encoder *window)
{
	return ((const struct window *)window)->n_slices;
}

bool timeline_window_failed(const struct timeline_encoder *window)
{
	return ((const struct window *)window)->no_memory;
}
