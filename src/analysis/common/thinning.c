/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the changes, by stream and time. */
#include "analysis/common/thinning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "base/log.h"
#include "base/search.h"
#include "read/members.h"
#include "read/read_parallel.h"

enum { MONO, STREAM, COUNT, FACTOR, KEPT, N_WANTED };

static const struct read_column wanted[N_WANTED] = {
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
	[STREAM] = { .name = "stream", .kind = PARSE_TEXT },
	[COUNT] = { .name = "count", .kind = PARSE_UINT },
	[FACTOR] = { .name = "factor", .kind = PARSE_UINT },
	[KEPT] = { .name = "kept", .kind = PARSE_UINT },
};

bool thinning_is_on(const struct read_session *session)
{
	const json_t *budget = json_object_get(session->manifest, "budget");
	uint64_t changes;

	return member_number(budget, "changes", &changes) && changes;
}

/* 0: it is not told, and the factor counts */
static uint64_t weight_of(const struct field *f)
{
	uint64_t kept = f[KEPT].u, all = kept + f[COUNT].u;

	if (!f[KEPT].known || !kept || !f[COUNT].known || all > UINT64_MAX / THINNING_ONE)
		return 0;
	return all * THINNING_ONE / kept;
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct thinning *t = arg;

	(void)task;
	if (!f[FACTOR].known || !f[MONO].known || f[FACTOR].u > UINT32_MAX)
		return;
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		struct thinning_span *span;

		if (!field_is(&f[STREAM], streams[i].name))
			continue;
		if (!grow(&t->spans[i], &t->max[i], t->n[i] + 1, 64, sizeof(*t->spans[i]))) {
			t->no_memory = true;
			return;
		}
		span = &t->spans[i][t->n[i]++];
		*span = (struct thinning_span){ f[MONO].u, weight_of(f), f[FACTOR].u };
	}
}

static int by_time(const void *a, const void *b)
{
	const struct thinning_span *x = a, *y = b;

	return (x->to > y->to) - (x->to < y->to);
}

/*
 * A factor is in force from its row on, and what was counted is of the time before, in the end of which the change was
 * made.
 */
static void weigh(struct thinning_span *spans, uint64_t n)
{
	uint64_t factor = 1, next, larger;

	for (uint64_t i = 0; i < n; i++) {
		next = spans[i].factor;
		larger = factor > next ? factor : next;
		/* what began while some were kept may be written when none are any more */
		if (!spans[i].weight || spans[i].weight > 2 * larger * THINNING_ONE)
			spans[i].weight = (factor ? factor : 1) * THINNING_ONE;
		factor = next;
	}
}

int thinning_read(struct thinning *t, const struct read_session *session)
{
	const struct read_query query = { STREAM_lost, wanted, N_WANTED };
	const struct read_parallel read = { .session = session,
					    .queries = &query,
					    .n_queries = 1,
					    .n_threads = 1,
					    .arg = t,
					    .row = take_row };
	struct read_totals totals;
	int err;

	if (!thinning_is_on(session))
		return 0;
	err = read_parallel(&read, &totals);
	if (!err && t->no_memory)
		err = -ENOMEM;
	if (err)
		log_error("%s: %s", session->dir, strerror(-err));
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (t->n[i]) {
			qsort(t->spans[i], t->n[i], sizeof(*t->spans[i]), by_time);
			weigh(t->spans[i], t->n[i]);
		}
	return err;
}

static bool is_over(const void *spans, uint64_t i, uint64_t ns)
{
	return ((const struct thinning_span *)spans)[i].to <= ns;
}

uint64_t thinning_weight(const struct thinning *t, enum stream_id stream, uint64_t mono_ns)
{
	const struct thinning_span *spans = t->spans[stream];
	uint64_t i = t->n[stream] ? search_first(spans, 0, t->n[stream], is_over, mono_ns) : 0;

	return i < t->n[stream] ? spans[i].weight : THINNING_ONE;
}

void thinning_free(struct thinning *t)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		free(t->spans[i]);
	*t = (struct thinning){ .no_memory = false };
}
