/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the last number of each class on each CPU. What a class is, the schema says. */
#include "trace/ledger.h"

#include <stdlib.h>

#include "row/schema.h"

struct account {
	uint32_t last; /* highest number that arrived */
	uint64_t arrived;
	int64_t gaps; /* accounted as lost so far */
};

struct ledger {
	int n_cpus;
	ledger_fn *fn;
	void *arg;
	struct account *accounts; /* [class * n_cpus + cpu] */
	uint64_t
		*seen; /* totals last told, [(class * reasons + reason) * (n_cpus + 1) + cpu + 1] */
	int64_t lost[IOT_N_SEQ][N_LOST_REASONS];
};

struct ledger *ledger_open(int n_cpus, ledger_fn *fn, void *arg)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));

	if (!ledger)
		return NULL;
	ledger->n_cpus = n_cpus;
	ledger->fn = fn;
	ledger->arg = arg;
	ledger->accounts = calloc(IOT_N_SEQ * n_cpus, sizeof(*ledger->accounts));
	ledger->seen = calloc(IOT_N_SEQ * N_LOST_REASONS * (n_cpus + 1), sizeof(*ledger->seen));
	if (!ledger->accounts || !ledger->seen) {
		ledger_close(ledger);
		return NULL;
	}
	return ledger;
}

void ledger_close(struct ledger *ledger)
{
	if (!ledger)
		return;
	free(ledger->accounts);
	free(ledger->seen);
	free(ledger);
}

static void add(struct ledger *ledger, unsigned class, enum lost_reason reason, int cpu,
		uint64_t count, uint64_t ts)
{
	ledger->lost[class][reason] += count;
	ledger->fn(ledger->arg, class, reason, cpu, count, ts);
}

void ledger_record(struct ledger *ledger, const struct iot_head *head, int cpu)
{
	struct account *a;
	int32_t step;

	if (head->class >= IOT_N_SEQ || cpu < 0 || cpu >= ledger->n_cpus)
		return;
	a = &ledger->accounts[head->class * ledger->n_cpus + cpu];
	step = (int32_t)(head->seq - a->last);
	a->arrived++;
	if (step == 1) {
		a->last = head->seq;
	} else if (step > 1) {
		a->last = head->seq;
		a->gaps += step - 1;
		add(ledger, head->class, LOST_RING, cpu, step - 1, head->ts);
	} else if (a->gaps > 0 && step < 0) {
		/* not lost but overtaken, by a task that preempted its program (7.2) */
		a->gaps--;
		ledger->lost[head->class][LOST_RING]--;
	}
}

void ledger_settle(struct ledger *ledger, unsigned class, int cpu, uint64_t attempts, uint64_t ts)
{
	struct account *a = &ledger->accounts[class * ledger->n_cpus + cpu];
	int64_t missing = (int64_t)(attempts - a->arrived) - a->gaps;

	if (missing > 0) {
		a->gaps += missing;
		add(ledger, class, LOST_RING, cpu, missing, ts);
	}
}

void ledger_missed(struct ledger *ledger, unsigned class, enum lost_reason reason, int cpu,
		   uint64_t total, uint64_t ts)
{
	uint64_t *seen =
		&ledger->seen[(class * N_LOST_REASONS + reason) * (ledger->n_cpus + 1) + cpu + 1];

	/* a total that could not be read is 0: growth is from the highest one seen */
	if (total <= *seen)
		return;
	add(ledger, class, reason, cpu, total - *seen, ts);
	*seen = total;
}

uint64_t ledger_lost(const struct ledger *ledger, unsigned class, enum lost_reason reason)
{
	return ledger->lost[class][reason];
}

bool ledger_is_choice(enum lost_reason reason)
{
	return reason == LOST_SAMPLED || reason == LOST_BUDGET;
}

uint64_t ledger_arrived(const struct ledger *ledger, unsigned class)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < ledger->n_cpus; cpu++)
		sum += ledger->accounts[class * ledger->n_cpus + cpu].arrived;
	return sum;
}

const char *ledger_reason_name(enum lost_reason reason)
{
	static const char *const names[N_LOST_REASONS] = {
		[LOST_RING] = "ring",           [LOST_NO_ENTRY] = "no-entry",
		[LOST_NO_RETURN] = "no-return", [LOST_TABLE_FULL] = "table-full",
		[LOST_SCRATCH] = "scratch",     [LOST_SKIPPED] = "skipped",
		[LOST_PROBE] = "probe-missed",  [LOST_UNRESOLVED] = "unresolved",
		[LOST_SAMPLED] = "sampled",     [LOST_BUDGET] = "budget",
		[LOST_DISK_FULL] = "disk-full", [LOST_DISK_ERROR] = "disk-error",
	};

	return names[reason];
}

const char *ledger_class_name(unsigned class)
{
	return class < N_EVENT_STREAMS ? streams[class].name : "state";
}
