/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns when an operation can be settled, and its parts. A row of sched comes when a thread leaves a CPU: an
 * operation in which its thread slept waits for the end of the run that follows; one in which it did not
 * leave the CPU waits for nothing.
 */
#include "analysis/common/why_model.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"

enum { MOST_WAITING = 1 << 18, FIRST_PENDING = 64 };

struct why_pending {
	struct why_operation operation;
	uint64_t end;
	char *path;
	uint64_t path_room;
	uint32_t next; /* that waits for the same thread, or is free: 1 + its number */
};

/* ---- parts ---- */

static void add(struct why_split *split, enum why_part part, uint64_t ns)
{
	struct why_piece *last = split->n_pieces ? &split->pieces[split->n_pieces - 1] : NULL;

	if (!ns)
		return;
	split->ns[part] += ns;
	if (last && last->part == part)
		last->ns += ns;
	else if (split->n_pieces < WHY_PIECES)
		split->pieces[split->n_pieces++] = (struct why_piece){ ns, part };
}

static uint64_t at_requests(struct why_model *m, const struct why_sleeper *who,
			    struct why_split *split, uint64_t from, uint64_t to)
{
	struct why_device_time d = why_requests_within(&m->requests, who, from, to);

	add(split, WHY_UNKNOWN, d.unknown);
	add(split, WHY_DEVICE_QUEUE, d.queued);
	add(split, WHY_DEVICE, d.served);
	add(split, WHY_SERVER_QUEUE, d.server_queued);
	add(split, WHY_SERVER, d.at_server);
	return to - from - d.queued - d.served - d.server_queued - d.at_server - d.unknown;
}

static void split_sleep(struct why_model *m, const struct why_operation *o,
			const struct why_stretch *s, struct why_split *split, uint64_t from,
			uint64_t to)
{
	struct why_sleeper who = o->who;
	uint64_t rest;

	if (from >= to)
		return;
	who.waker = s->waker;
	rest = at_requests(m, &who, split, from, to);
	if (!rest)
		return;
	if (!s->wake_seen) { /* it may have been ready for some of it */
		add(split, WHY_UNKNOWN, rest);
		return;
	}
	add(split, WHY_WAIT, rest);
	why_wakers_add(&split->wakers, s->waker_name, rest);
}

static uint64_t part(uint64_t at, uint64_t to, uint64_t end)
{
	if (to > end)
		to = end;
	return to > at ? to - at : 0;
}

/* The thread of the operation, from its beginning on; on_cpu: so it is where nothing else is known of the end. */
static void split_thread(struct why_model *m, const struct why_thread *thread,
			 const struct why_pending *p, struct why_split *split, bool on_cpu)
{
	uint64_t at = p->operation.start, ns;

	for (uint64_t i = why_thread_at(thread, at); i < thread->n && at < p->end; i++) {
		const struct why_stretch *s = why_stretch(thread, i);

		ns = part(at, s->left, p->end);
		add(split, WHY_UNKNOWN, ns);
		at += ns;
		ns = part(at, s->woken, p->end);
		split_sleep(m, &p->operation, s, split, at, at + ns);
		at += ns;
		ns = part(at, s->start, p->end);
		add(split, WHY_RUNQUEUE, ns);
		at += ns;
		ns = part(at, s->end, p->end);
		add(split, WHY_RUN, ns);
		at += ns;
	}
	add(split, on_cpu ? WHY_RUN : WHY_UNKNOWN, p->end - at);
}

/* ---- operations that are pending ---- */

static void give_back(struct why_model *m, uint32_t i)
{
	m->pending[i].next = (uint32_t)m->free;
	m->free = i + 1;
}

static void settle(struct why_model *m, uint32_t i, const struct why_thread *thread, bool on_cpu)
{
	struct why_pending *p = &m->pending[i];
	struct why_split split;

	/* not its lists, which have room for much more than most need */
	memset(split.ns, 0, sizeof(split.ns));
	split.n_pieces = split.wakers.n = 0;
	split.wakers.others = 0;
	p->operation.path = p->path;
	if (thread && m->has_threads && !p->operation.alone)
		split_thread(m, thread, p, &split, on_cpu);
	else
		add(&split, WHY_UNKNOWN,
		    at_requests(m, &p->operation.who, &split, p->operation.start, p->end));
	m->settled(m->arg, &p->operation, &split);
	give_back(m, i);
}

/* All that ended before what is known of the thread ends; all: and the others. */
static void settle_waiting(struct why_model *m, struct why_thread *thread, bool all)
{
	uint32_t *link = &thread->waiting;
	uint64_t end = why_thread_end(thread);

	while (*link) {
		struct why_pending *p = &m->pending[*link - 1];

		if (all || p->end <= end) {
			uint32_t i = *link - 1;

			*link = p->next;
			m->n_waiting--;
			settle(m, i, thread, false);
		} else {
			link = &p->next;
		}
	}
}

/* It ended, and all rows until then have come. */
static void judge(struct why_model *m, uint32_t i)
{
	struct why_pending *p = &m->pending[i];
	struct why_thread *thread;
	uint64_t end;

	if (!m->has_threads || p->operation.alone) {
		settle(m, i, NULL, false);
		return;
	}
	thread = why_thread(&m->threads, p->operation.who.tid);
	if (!thread)
		return;
	end = why_thread_end(thread);
	/* all that the thread did until then is known */
	if (end >= p->end) {
		settle(m, i, thread, false);
	} else if (end && end <= p->operation.start && m->all_threads) {
		/* a row comes when a thread leaves its CPU: until then it was there */
		settle(m, i, thread, true);
	} else if (m->n_waiting == MOST_WAITING) {
		m->early++;
		settle(m, i, thread, false);
	} else {
		m->n_waiting++;
		p->next = thread->waiting;
		thread->waiting = i + 1;
	}
}

/* ---- which of them ended first ---- */

static bool ends_before(const struct why_model *m, uint64_t a, uint64_t b)
{
	return m->pending[m->heap[a]].end < m->pending[m->heap[b]].end;
}

static void swap(struct why_model *m, uint64_t a, uint64_t b)
{
	uint32_t other = m->heap[a];

	m->heap[a] = m->heap[b];
	m->heap[b] = other;
}

static void heap_push(struct why_model *m, uint32_t i)
{
	uint64_t at = m->n_heap++;

	m->heap[at] = i;
	for (; at && ends_before(m, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(m, at, (at - 1) / 2);
}

static uint32_t heap_pop(struct why_model *m)
{
	uint32_t first = m->heap[0];
	uint64_t at = 0, below;

	m->heap[0] = m->heap[--m->n_heap];
	while ((below = 2 * at + 1) < m->n_heap) {
		if (below + 1 < m->n_heap && ends_before(m, below + 1, below))
			below++;
		if (!ends_before(m, below, at))
			break;
		swap(m, at, below);
		at = below;
	}
	return first;
}

/* ---- what comes ---- */

void why_model_begin(struct why_model *m, uint64_t memory, uint64_t began, uint64_t from,
		     uint64_t to)
{
	m->began = began;
	m->threads.from = from;
	m->threads.to = to;
	/*
	 * a half for threads, a quarter for requests; the rest is for operations that are
	 * pending
	 */
	m->threads.most = memory / 2 / sizeof(struct why_stretch);
	m->requests.most = 1024;
	while (m->requests.most * 2 * sizeof(struct why_request) <= memory / 4)
		m->requests.most *= 2;
}

/* Its number, or -1 without memory. */
static int64_t take(struct why_model *m)
{
	uint64_t i = m->free;

	if (i) {
		m->free = m->pending[i - 1].next;
		return (int64_t)i - 1;
	}
	i = m->n_pending;
	if (!grow(&m->pending, &m->max_pending, i + 1, FIRST_PENDING, sizeof(*m->pending)) ||
	    !grow(&m->heap, &m->max_heap, i + 1, FIRST_PENDING, sizeof(*m->heap)))
		return -1;
	m->n_pending++;
	memset(&m->pending[i], 0, sizeof(m->pending[i]));
	return (int64_t)i;
}

void why_model_operation(struct why_model *m, const struct why_operation *operation)
{
	struct why_pending *p;
	int64_t i = take(m);

	if (i < 0 ||
	    !grow(&m->pending[i].path, &m->pending[i].path_room, operation->path_len + 1, 64, 1)) {
		m->no_memory = true;
		return;
	}
	p = &m->pending[i];
	p->operation = *operation;
	p->end = operation->start + operation->latency;
	memcpy(p->path, operation->path, operation->path_len);
	p->path[operation->path_len] = '\0';
	heap_push(m, (uint32_t)i);
}

void why_model_run(struct why_model *m, uint32_t tid, uint32_t pid, const char *name,
		   const struct why_stretch *stretch)
{
	struct why_thread *thread = why_thread(&m->threads, tid);
	struct why_stretch s = *stretch;

	if (!thread)
		return;
	/* since before tracing began; or its beginning was lost */
	if (!s.start) {
		s.start = thread->n || m->began > s.end ? s.end : m->began;
		s.left = s.woken = s.start;
	}
	if (s.waker_name && why_requests_woke(&m->requests, tid, s.waker, s.woken))
		s.waker_name = NULL;
	thread->pid = pid;
	thread->name = name;
	why_threads_add(&m->threads, thread, &s);
	settle_waiting(m, thread, false);
}

void why_model_request(struct why_model *m, const struct why_request *request)
{
	if (!why_requests_add(&m->requests, request))
		m->no_memory = true;
}

void why_model_time(struct why_model *m, uint64_t now)
{
	struct why_thread *gone;

	while (m->n_heap && m->pending[m->heap[0]].end <= now)
		judge(m, heap_pop(m));
	while ((gone = why_threads_gone(&m->threads, now))) {
		if (m->thread)
			m->thread(m->arg, gone);
		why_thread_remove(&m->threads, gone);
	}
	m->no_memory = m->no_memory || m->threads.no_memory;
}

void why_model_end(struct why_model *m)
{
	while (m->n_heap)
		judge(m, heap_pop(m));
	for (struct why_thread *thread = m->threads.all; thread; thread = thread->next_of_all) {
		settle_waiting(m, thread, true);
		if (m->thread)
			m->thread(m->arg, thread);
	}
	m->no_memory = m->no_memory || m->threads.no_memory;
}

void why_model_free(struct why_model *m)
{
	for (uint64_t i = 0; i < m->n_pending; i++)
		free(m->pending[i].path);
	free(m->pending);
	free(m->heap);
	why_threads_free(&m->threads);
	why_requests_free(&m->requests);
}
