/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of such lists: by whom, then by time. */
#include "analysis/common/history.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "base/search.h"

static struct history_key *key_at(const struct history *h, uint64_t i)
{
	return (struct history_key *)((char *)h->list + i * h->size);
}

void *history_add(struct history *h, size_t size, uint64_t id, uint64_t ns)
{
	h->size = size;
	if (!grow(&h->list, &h->max, h->n + 1, 256, size)) {
		h->no_memory = true;
		return NULL;
	}
	memset(key_at(h, h->n), 0, size);
	*key_at(h, h->n) = (struct history_key){ id, ns };
	return key_at(h, h->n++);
}

/* Items begin with their keys, whatever they are of. */
static int compare(const void *a, const void *b)
{
	const struct history_key *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

void history_sort(struct history *h)
{
	if (h->n)
		qsort(h->list, h->n, h->size, compare);
}

int history_read(struct history *h, const struct read_session *session,
		 const struct read_query *query,
		 void (*row)(void *arg, const struct read_task *task, const struct field *fields))
{
	const struct read_parallel read = { .session = session,
					    .queries = query,
					    .n_queries = 1,
					    .n_threads = 1,
					    .arg = h,
					    .row = row };
	struct read_totals totals;
	int err = read_parallel(&read, &totals);

	history_sort(h);
	return err;
}

struct wanted {
	const struct history *history;
	uint64_t id;
};

static bool is_before(const void *wanted, uint64_t i, uint64_t ns)
{
	const struct wanted *w = wanted;
	const struct history_key *key = key_at(w->history, i);

	return key->id < w->id || (key->id == w->id && key->ns < ns);
}

uint64_t history_find(const struct history *h, uint64_t id, uint64_t ns)
{
	const struct wanted wanted = { h, id };

	return search_first(&wanted, 0, h->n, is_before, ns);
}

const void *history_at(const struct history *h, uint64_t i, uint64_t id)
{
	return i < h->n && key_at(h, i)->id == id ? key_at(h, i) : NULL;
}

void history_free(struct history *h)
{
	free(h->list);
	pool_free(&h->pool);
	*h = (struct history){ .n = 0 };
}
