/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the second that is open for each kind of loss. Why events were lost, it does not know. */
#include "events/losses.h"

#include <stdlib.h>

/* A span begins with its first loss, so two of them are a second apart on any clock. */
struct span {
	uint64_t count; /* 0: none is open */
	uint64_t began; /* CLOCK_MONOTONIC ns */
};

struct losses {
	int n_cpus;
	ledger_fn *fn;
	void *arg;
	uint64_t due;       /* when the oldest open span ends; UINT64_MAX: none is open */
	struct span *spans; /* [(class * reasons + reason) * (n_cpus + 1) + cpu + 1] */
};

struct losses *losses_open(int n_cpus, ledger_fn *fn, void *arg)
{
	struct losses *losses = calloc(1, sizeof(*losses));

	if (!losses)
		return NULL;
	losses->n_cpus = n_cpus;
	losses->fn = fn;
	losses->arg = arg;
	losses->due = UINT64_MAX;
	losses->spans = calloc((size_t)IOT_N_SEQ * N_LOST_REASONS * (n_cpus + 1),
			       sizeof(*losses->spans));
	if (!losses->spans) {
		losses_close(losses);
		return NULL;
	}
	return losses;
}

void losses_close(struct losses *losses)
{
	if (!losses)
		return;
	free(losses->spans);
	free(losses);
}

static void end_span(struct losses *losses, size_t at)
{
	struct span *span = &losses->spans[at];
	size_t kind = at / (losses->n_cpus + 1);

	losses->fn(losses->arg, kind / N_LOST_REASONS, kind % N_LOST_REASONS,
		   (int)(at % (losses->n_cpus + 1)) - 1, span->count, span->began);
	span->count = 0;
}

void losses_add(struct losses *losses, unsigned class, enum lost_reason reason, int cpu,
		uint64_t count, uint64_t ts)
{
	size_t at = (class * N_LOST_REASONS + reason) * (losses->n_cpus + 1) + cpu + 1;
	struct span *span = &losses->spans[at];

	if (span->count && ts >= span->began + LOSSES_SPAN_NS)
		end_span(losses, at);
	if (!span->count)
		span->began = ts;
	span->count += count;
	if (span->began + LOSSES_SPAN_NS < losses->due)
		losses->due = span->began + LOSSES_SPAN_NS;
}

void losses_flush(struct losses *losses, uint64_t now)
{
	size_t n = (size_t)IOT_N_SEQ * N_LOST_REASONS * (losses->n_cpus + 1);

	if (now < losses->due || losses->due == UINT64_MAX)
		return;
	losses->due = UINT64_MAX;
	for (size_t at = 0; at < n; at++) {
		uint64_t end = losses->spans[at].began + LOSSES_SPAN_NS;

		if (!losses->spans[at].count)
			continue;
		if (end <= now)
			end_span(losses, at);
		else if (end < losses->due)
			losses->due = end;
	}
}
