/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns a second reading of the directory, which is ahead of the first: an operation is drawn when it begins,
 * and its parts are known when its thread has left the CPU behind it. What is settled meanwhile waits here, in
 * bounded memory: where that is not enough, a slice has no parts.
 */
#include "analysis/timeline/timeline_why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "base/log.h"

enum { SLOTS = 1 << 16, MOST = 1 << 18, MEMORY = 64 << 20 };

/* An operation that was settled and not asked for yet. */
struct settled {
	uint64_t start, latency;
	uint64_t ns[WHY_PARTS];
	const char *waker; /* NULL: none */
	uint32_t tid;
	uint32_t next; /* of its slot, or free: 1 + its number */
};

struct timeline_why {
	struct row_filter filter;
	struct why_rows rows;
	struct why_names names;
	struct settled *list;
	uint64_t n, max; /* that there ever were at once */
	uint64_t n_used;
	uint32_t free;
	uint32_t slots[SLOTS]; /* 1 + a number */
	bool ended;            /* all rows were read */
	bool no_memory;
};

static uint32_t *slot_of(struct timeline_why *w, uint32_t tid, uint64_t start)
{
	return &w->slots[hash_mix(tid, start) & (SLOTS - 1)];
}

/* ---- what is settled ---- */

static int64_t take(struct timeline_why *w)
{
	uint32_t i = w->free;

	if (i) {
		w->free = w->list[i - 1].next;
		return i - 1;
	}
	if (!grow(&w->list, &w->max, w->n + 1, 256, sizeof(*w->list))) {
		w->no_memory = true;
		return -1;
	}
	return (int64_t)w->n++;
}

static void settled(void *arg, const struct why_operation *o, const struct why_split *split)
{
	struct timeline_why *w = arg;
	int64_t i;
	struct settled *s;
	uint32_t *slot;

	/* a fault is no slice */
	if (o->kind == WHY_FAULT || w->n_used == MOST)
		return;
	i = take(w);
	if (i < 0)
		return;
	s = &w->list[i];
	slot = slot_of(w, o->who.tid, o->start);
	*s = (struct settled){ .start = o->start,
			       .latency = o->latency,
			       .tid = o->who.tid,
			       .waker = split->wakers.n ? split->wakers.list[0].name : NULL,
			       .next = *slot };
	memcpy(s->ns, split->ns, sizeof(s->ns));
	*slot = (uint32_t)i + 1;
	w->n_used++;
}

static void remove_at(struct timeline_why *w, uint32_t *link)
{
	uint32_t i = *link - 1;

	*link = w->list[i].next;
	w->list[i].next = w->free;
	w->free = i + 1;
	w->n_used--;
}

/* Nobody asks for those that began before. */
static void forget_before(struct timeline_why *w, uint64_t ns)
{
	for (unsigned i = 0; i < SLOTS; i++)
		for (uint32_t *link = &w->slots[i]; *link;)
			if (w->list[*link - 1].start < ns)
				remove_at(w, link);
			else
				link = &w->list[*link - 1].next;
}

static uint32_t *find(struct timeline_why *w, uint32_t tid, uint64_t start, uint64_t latency)
{
	uint32_t *link = slot_of(w, tid, start);

	for (; *link; link = &w->list[*link - 1].next) {
		const struct settled *s = &w->list[*link - 1];

		if (s->tid == tid && s->start == start && s->latency == latency)
			return link;
	}
	return NULL;
}

/* ---- the second reading ---- */

/* What cannot be read was reported by the first. */
static uint32_t *read_until(struct timeline_why *w, uint32_t tid, uint64_t start, uint64_t latency)
{
	uint32_t *link = find(w, tid, start, latency);
	enum log_level level = log_get_level();

	if (link || w->ended)
		return link;
	log_set_level(LOG_QUIET);
	while (!link && !w->ended) {
		if (w->n_used == MOST)
			forget_before(w, start);
		if (w->n_used == MOST)
			break;
		w->ended = !why_rows_next(&w->rows);
		link = find(w, tid, start, latency);
	}
	log_set_level(level);
	return link;
}

static void add(struct timeline_event *e, const char *name, const char *text, uint64_t number)
{
	if (e->n_arguments < TIMELINE_MAX_ARGUMENTS)
		e->arguments[e->n_arguments++] =
			(struct timeline_argument){ .name = name,
						    .text = text,
						    .len = text ? strlen(text) : 0,
						    .number = (int64_t)number };
}

void timeline_why_add(struct timeline_why *w, struct timeline_event *event, uint32_t tid,
		      uint64_t start, uint64_t latency)
{
#define COLUMN(name, column, ...) column,
	static const char *const names[WHY_PARTS] = { WHY_EACH_PART(COLUMN) };
	uint32_t *link = read_until(w, tid, start, latency);
	const struct settled *s = link ? &w->list[*link - 1] : NULL;

	if (!s)
		return;
	for (unsigned i = 0; i < WHY_PARTS; i++)
		if (s->ns[i])
			add(event, names[i], NULL, s->ns[i]);
	if (s->waker)
		add(event, "waker", s->waker, 0);
	remove_at(w, link);
}

bool timeline_why_has_requests(const struct timeline_why *w)
{
	return w->rows.has_uring;
}

bool timeline_why_no_memory(const struct timeline_why *w)
{
	return w->no_memory || why_rows_no_memory(&w->rows);
}

struct timeline_why *timeline_why_open(const struct read_session *session,
				       const struct row_filter *filter, uint64_t began, int *err)
{
	struct timeline_why *w;

	*err = 0;
	if (!session->streams[STREAM_fs].n_segments || !session->streams[STREAM_sched].n_segments)
		return NULL;
	w = calloc(1, sizeof(*w));
	*err = w ? 0 : -ENOMEM;
	if (!w)
		return NULL;
	/* an operation that began before a part may reach into it */
	w->filter = *filter;
	w->filter.from = w->filter.to = NULL;
	w->rows = (struct why_rows){ .filter = &w->filter,
				     .to = UINT64_MAX,
				     .names = &w->names,
				     .model = { .settled = settled, .arg = w } };
	*err = why_rows_open(&w->rows, session, MEMORY, began);
	if (!*err)
		return w;
	timeline_why_close(w);
	return NULL;
}

void timeline_why_close(struct timeline_why *w)
{
	if (!w)
		return;
	why_rows_close(&w->rows);
	why_names_free(&w->names);
	free(w->list);
	free(w);
}
