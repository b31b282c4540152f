/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what must have been counted of each operation that the child performs. */
#include "session/selftest_counts.h"

#include <errno.h>
#include <stdint.h>

#include "trace/trace_counts.h"
#include "trace/trace_set.h"

/*
 * Operations of one kind share a count: each is done so many times that the sum tells which were counted.
 * What is slow is done least.
 */
static const struct counted {
	enum capability_id capability;
	bool (*perform)(struct scratch *s);
	uint8_t op; /* IOT_COUNT_* */
	uint8_t times;
} counted[] = {
	{ CAP_LAYERS_WRITE, scratch_write, IOT_COUNT_WRITE, 8 },
	{ CAP_LAYERS_WRITE_VECTORED, scratch_writev, IOT_COUNT_WRITE, 4 },
	{ CAP_LAYERS_WRITE_AIO, scratch_aio_write, IOT_COUNT_WRITE, 2 },
	{ CAP_LAYERS_WRITE_IO_URING, scratch_uring_write, IOT_COUNT_WRITE, 1 },
	{ CAP_LAYERS_READ, scratch_read, IOT_COUNT_READ, 8 },
	{ CAP_LAYERS_READ_VECTORED, scratch_readv, IOT_COUNT_READ, 4 },
	{ CAP_LAYERS_READ_AIO, scratch_aio_read, IOT_COUNT_READ, 2 },
	{ CAP_LAYERS_READ_IO_URING, scratch_uring_read, IOT_COUNT_READ, 1 },
	{ CAP_LAYERS_SYNC_DATA, scratch_fdatasync, IOT_COUNT_SYNC, 2 },
	{ CAP_LAYERS_SYNC, scratch_fsync, IOT_COUNT_SYNC, 1 },
};

enum { N_COUNTED = sizeof(counted) / sizeof(counted[0]), N_OPS = IOT_COUNT_COPY + 1 };

static const struct plan_choice *choice_of(const struct plan *plan, const struct counted *of)
{
	const struct plan_choice *c = plan_find(plan, of->capability);

	return c && c->chosen ? c : NULL;
}

bool selftest_counts(const struct plan *plan)
{
	for (size_t i = 0; i < N_COUNTED; i++)
		if (choice_of(plan, &counted[i]))
			return true;
	return false;
}

void selftest_counts_perform(struct scratch *s, const struct plan *plan, volatile bool *done)
{
	for (size_t i = 0; i < N_COUNTED; i++) {
		bool ok = choice_of(plan, &counted[i]);

		for (unsigned n = 0; ok && n < counted[i].times; n++)
			ok = counted[i].perform(s);
		done[i] = ok;
	}
}

struct sums {
	uint32_t tgid;
	uint64_t n[N_OPS];
};

static void add(void *arg, const struct iot_count_key *key, const struct iot_count *added,
		uint64_t ts)
{
	struct sums *sums = arg;

	(void)ts;
	if (key->tgid == sums->tgid && key->layer != IOT_COUNT_REQUEST && key->op < N_OPS)
		sums->n[key->op] += added->count;
}

int selftest_counts_judge(struct trace *trace, pid_t child, const volatile bool *done,
			  selftest_counted_fn *each, void *arg)
{
	struct trace_counts *counts = trace_counts_open();
	struct sums sums = { .tgid = (uint32_t)child };
	unsigned expected[N_OPS] = { 0 };

	if (!counts)
		return -ENOMEM;
	trace_counts_read(counts, trace, 0, true, add, &sums);
	trace_counts_close(counts);
	trace_counts_clear(trace);
	for (size_t i = 0; i < N_COUNTED; i++)
		expected[counted[i].op] += done[i] ? counted[i].times : 0;
	for (size_t i = 0; i < N_COUNTED; i++) {
		uint64_t n = sums.n[counted[i].op];

		/* of one that failed in the middle, or counts twice, no more can be told than that something counts */
		if (done[i])
			each(arg, choice_of(trace->plan, &counted[i]),
			     n > expected[counted[i].op] || (n & counted[i].times));
	}
	return 0;
}
