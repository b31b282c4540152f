/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what each count was when it was read the last time. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "trace/trace_counts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "compat/sys.h"

enum { FIRST_SLOTS = 1024 };

/* Entries of processes that are gone are removed when the kernel's table is this full, and they have rested so long. */
#define CROWDED (IOT_COUNTS / 2)
#define RESTED_NS (60 * NS_PER_S)

struct sum {
	struct iot_count_key key; /* without its share */
	bool used;
	uint64_t changed_ns; /* when anything was added last */
	struct iot_count told;
	struct iot_count now;
};

struct trace_counts {
	struct sum *sums; /* open addressing */
	size_t n, n_slots;
	size_t n_entries; /* of the kernel's table */
};

struct trace_counts *trace_counts_open(void)
{
	struct trace_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->n_slots = FIRST_SLOTS;
	counts->sums = calloc(counts->n_slots, sizeof(*counts->sums));
	if (!counts->sums) {
		free(counts);
		return NULL;
	}
	return counts;
}

void trace_counts_close(struct trace_counts *counts)
{
	if (!counts)
		return;
	free(counts->sums);
	free(counts);
}

static bool same_key(const struct iot_count_key *a, const struct iot_count_key *b)
{
	return a->tgid == b->tgid && a->dev == b->dev && a->layer == b->layer && a->op == b->op &&
	       a->class == b->class;
}

static struct sum *slot_of(struct sum *sums, size_t n_slots, const struct iot_count_key *key)
{
	uint64_t hash = (uint64_t)key->tgid << 32 ^ key->dev ^
			((uint64_t)key->layer << 16 | key->op << 8 | key->class) << 40;
	size_t at;

	hash *= 0x9e3779b97f4a7c15ULL;
	at = (hash >> 32) & (n_slots - 1);
	while (sums[at].used && !same_key(&sums[at].key, key))
		at = (at + 1) & (n_slots - 1);
	return &sums[at];
}

/* Those that are used find their places anew: in sums, which has so many slots and is empty. */
static void move(struct trace_counts *counts, struct sum *sums, size_t n_slots)
{
	for (size_t i = 0; i < counts->n_slots; i++)
		if (counts->sums[i].used)
			*slot_of(sums, n_slots, &counts->sums[i].key) = counts->sums[i];
	free(counts->sums);
	counts->sums = sums;
	counts->n_slots = n_slots;
}

static bool grow(struct trace_counts *counts)
{
	size_t n_slots = counts->n_slots * 2;
	struct sum *sums = calloc(n_slots, sizeof(*sums));

	if (sums)
		move(counts, sums, n_slots);
	return sums;
}

bool trace_counts_add(struct trace_counts *counts, const struct iot_count_key *key,
		      const struct iot_count *now)
{
	struct sum *sum;

	if (counts->n * 2 >= counts->n_slots && !grow(counts))
		return false;
	sum = slot_of(counts->sums, counts->n_slots, key);
	if (!sum->used) {
		counts->n++;
		sum->used = true;
		sum->key = *key;
		sum->key.share = 0;
	}
	sum->now.count += now->count;
	sum->now.bytes += now->bytes;
	sum->now.errors += now->errors;
	sum->now.ns += now->ns;
	memcpy(sum->now.comm, now->comm, sizeof(now->comm));
	return true;
}

void trace_counts_turn(struct trace_counts *counts, uint64_t ts, trace_count_fn *each, void *arg)
{
	for (size_t i = 0; i < counts->n_slots; i++) {
		struct sum *sum = &counts->sums[i];
		struct iot_count added = sum->now;

		if (!sum->used)
			continue;
		added.count -= sum->told.count;
		added.bytes -= sum->told.bytes;
		added.errors -= sum->told.errors;
		added.ns -= sum->told.ns;
		if (added.count) {
			each(arg, &sum->key, &added, ts);
			sum->changed_ns = ts;
		}
		sum->told = sum->now;
		memset(&sum->now, 0, sizeof(sum->now));
	}
}

/* Nobody counts there any more, but for a thread of the kernel that still carries its bytes. */
static bool is_over(const struct sum *sum, uint64_t ts)
{
	return sum->used && sum->key.tgid && ts - sum->changed_ns > RESTED_NS &&
	       kill((pid_t)sum->key.tgid, 0) && errno == ESRCH;
}

static void forget_ended(struct trace_counts *counts, int map, uint64_t ts)
{
	struct sum *sums = calloc(counts->n_slots, sizeof(*sums));

	if (!sums)
		return; /* another time */
	for (size_t i = 0; i < counts->n_slots; i++) {
		struct sum *sum = &counts->sums[i];
		struct iot_count_key key = sum->key;

		if (!is_over(sum, ts))
			continue;
		for (int share = 0; share < IOT_COUNT_SHARES; share++) {
			key.share = (uint8_t)share;
			bpf_map_remove(map, &key);
		}
		sum->used = false;
		counts->n--;
	}
	move(counts, sums, counts->n_slots);
}

/* The next look finds all of them again. */
static void give_up(struct trace_counts *counts)
{
	log_error("layers: no memory for %zu counts", counts->n_entries);
	for (size_t i = 0; i < counts->n_slots; i++)
		memset(&counts->sums[i].now, 0, sizeof(counts->sums[i].now));
}

void trace_counts_read(struct trace_counts *counts, const struct trace *trace, uint64_t ts,
		       trace_count_fn *each, void *arg)
{
	int map = counts ? load_map(&trace->loaded, "iot_counts") : -1;
	struct iot_count_key key, next;
	struct iot_count now;
	bool ok = true;

	if (map < 0)
		return;
	counts->n_entries = 0;
	while (ok && !bpf_map_next(map, counts->n_entries ? &key : NULL, &next)) {
		key = next;
		counts->n_entries++;
		if (!bpf_map_get(map, &key, &now))
			ok = trace_counts_add(counts, &key, &now);
	}
	if (!ok) {
		give_up(counts);
		return;
	}
	trace_counts_turn(counts, ts, each, arg);
	if (counts->n_entries > CROWDED)
		forget_ended(counts, map, ts);
}
