/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the memory of threads and stretches, and what of it is forgotten. Knows no operation. */
#include "analysis/common/why_threads.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "base/search.h"

enum { FIRST_SLOTS = 1024, FIRST_STRETCHES = 8 };

#define GONE_NS 5000000000ULL /* rows of operations come at most so much later */

static struct why_thread **slot_of(const struct why_threads *t, uint32_t tid)
{
	return &t->slots[hash_mix(0, tid) & (t->n_slots - 1)];
}

static bool more_slots(struct why_threads *t)
{
	/* never fewer slots than threads */
	uint64_t n = t->n_slots ? t->n_slots * 4 : FIRST_SLOTS;
	struct why_thread **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	for (struct why_thread *thread = t->all; thread; thread = thread->next_of_all) {
		struct why_thread **slot = slot_of(t, thread->tid);

		thread->next = *slot;
		*slot = thread;
	}
	return true;
}

struct why_thread *why_thread(struct why_threads *t, uint32_t tid)
{
	struct why_thread *thread;

	if (t->n_threads >= t->n_slots && !more_slots(t)) {
		t->no_memory = true;
		return NULL;
	}
	for (thread = *slot_of(t, tid); thread; thread = thread->next)
		if (thread->tid == tid)
			return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		t->no_memory = true;
		return NULL;
	}
	thread->tid = tid;
	thread->next = *slot_of(t, tid);
	*slot_of(t, tid) = thread;
	thread->next_of_all = t->all;
	if (t->all)
		t->all->previous_of_all = thread;
	t->all = thread;
	t->n_threads++;
	return thread;
}

void why_thread_remove(struct why_threads *t, struct why_thread *thread)
{
	struct why_thread **slot = slot_of(t, thread->tid);

	while (*slot != thread)
		slot = &(*slot)->next;
	*slot = thread->next;
	if (thread->previous_of_all)
		thread->previous_of_all->next_of_all = thread->next_of_all;
	else
		t->all = thread->next_of_all;
	if (thread->next_of_all)
		thread->next_of_all->previous_of_all = thread->previous_of_all;
	t->n_threads--;
	t->n_stretches -= thread->n - thread->first;
	free(thread->items);
	free(thread);
}

static void note_gone(struct why_threads *t, struct why_thread *thread, uint64_t ns)
{
	bool listed = thread->gone_at;

	thread->gone_at = ns;
	if (listed)
		return;
	thread->next_gone = NULL;
	if (t->last_gone)
		t->last_gone->next_gone = thread;
	else
		t->first_gone = thread;
	t->last_gone = thread;
}

struct why_thread *why_threads_gone(struct why_threads *t, uint64_t now)
{
	struct why_thread *thread;

	while ((thread = t->first_gone) && thread->gone_at + GONE_NS < now) {
		t->first_gone = thread->next_gone;
		if (!t->first_gone)
			t->last_gone = NULL;
		/* its number may have been given to another one */
		if (why_thread_end(thread) <= thread->gone_at && !thread->waiting)
			return thread;
		thread->gone_at = 0;
	}
	return NULL;
}

/* ---- stretches ---- */

/* By moving the start of its ring: the memory stays the thread's. A half, so that it is rare. */
static void forget_half(struct why_threads *t)
{
	struct why_thread *most = t->all;
	uint64_t half;

	for (struct why_thread *thread = t->all; thread; thread = thread->next_of_all)
		if (thread->n - thread->first > most->n - most->first)
			most = thread;
	half = (most->n - most->first + 1) / 2;
	most->first += half;
	t->n_stretches -= half;
}

static bool make_room(struct why_thread *thread)
{
	uint64_t max = thread->max ? thread->max * 2 : FIRST_STRETCHES;
	struct why_stretch *items;

	if (thread->n - thread->first < thread->max)
		return true;
	items = malloc(max * sizeof(*items));
	if (!items)
		return false;
	for (uint64_t i = thread->first; i < thread->n; i++)
		items[i & (max - 1)] = *why_stretch(thread, i);
	free(thread->items);
	thread->items = items;
	thread->max = max;
	return true;
}

static uint64_t within(const struct why_threads *t, uint64_t from, uint64_t to)
{
	if (from < t->from)
		from = t->from;
	if (to > t->to)
		to = t->to;
	return to > from ? to - from : 0;
}

static void add_up(const struct why_threads *t, struct why_thread *thread,
		   const struct why_stretch *s)
{
	uint64_t asleep;

	if (!within(t, s->left, s->end))
		return;
	if (!thread->seen_to)
		thread->seen_from = s->left > t->from ? s->left : t->from;
	thread->seen_to = s->end < t->to ? s->end : t->to;
	asleep = within(t, s->left, s->woken);
	thread->asleep += asleep;
	if (asleep && s->wake_seen)
		why_wakers_add(&thread->wakers, s->waker_name, asleep);
	thread->ready += within(t, s->woken, s->start);
	thread->on_cpu += within(t, s->start, s->end);
}

void why_threads_add(struct why_threads *t, struct why_thread *thread,
		     const struct why_stretch *stretch)
{
	if (t->n_stretches >= t->most)
		forget_half(t);
	if (!make_room(thread)) {
		t->no_memory = true;
		return;
	}
	thread->items[thread->n++ & (thread->max - 1)] = *stretch;
	add_up(t, thread, stretch);
	t->n_stretches++;
	if (stretch->gone)
		note_gone(t, thread, stretch->end);
}

uint64_t why_thread_end(const struct why_thread *thread)
{
	return thread->n > thread->first ? why_stretch(thread, thread->n - 1)->end : 0;
}

static bool ended_until(const void *thread, uint64_t i, uint64_t ns)
{
	return why_stretch(thread, i)->end <= ns;
}

uint64_t why_thread_at(const struct why_thread *thread, uint64_t ns)
{
	/* mostly it is among the last */
	if (why_thread_end(thread) <= ns)
		return thread->n;
	return search_first(thread, thread->first, thread->n, ended_until, ns);
}

void why_threads_free(struct why_threads *t)
{
	struct why_thread *thread = t->all, *next;

	for (; thread; thread = next) {
		next = thread->next_of_all;
		free(thread->items);
		free(thread);
	}
	free(t->slots);
	memset(t, 0, sizeof(*t));
}
