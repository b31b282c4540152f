/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what each count was when it was read the last time. */
#include "trace/trace_counts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "compat/sys/bpf.h"
#include "trace/load.h"
#include "trace/trace_count_request.h"
#include "trace/trace_set.h"

enum { FIRST_SLOTS = 1024 };

/* Entries of processes that are gone are removed when the kernel's table is this full, and they have rested so long. */
#define CROWDED (IOT_COUNTS / 4)
#define RESTED_NS (60 * NS_PER_S)

struct sum {
	struct iot_count_key key; /* without its share */
	bool used, over;          /* over: to be forgotten */
	uint64_t changed_ns;      /* when anything was added last */
	struct iot_count told;
	struct iot_count now;
};

struct trace_counts {
	struct sum *sums; /* open addressing */
	size_t n, n_slots;
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

/* All that are not over find their places anew: in sums, which has so many slots and is empty. */
static void move(struct trace_counts *counts, struct sum *sums, size_t n_slots)
{
	counts->n = 0;
	for (size_t i = 0; i < counts->n_slots; i++)
		if (counts->sums[i].used && !counts->sums[i].over) {
			*slot_of(sums, n_slots, &counts->sums[i].key) = counts->sums[i];
			counts->n++;
		}
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
	/* what is behind its NUL is of an earlier name, and rows are told apart by all of it */
	memset(sum->now.comm, 0, sizeof(sum->now.comm));
	memcpy(sum->now.comm, now->comm, strnlen((const char *)now->comm, sizeof(now->comm)));
	return true;
}

/* What a program had not finished adding when it was looked at stays for the next look, unless this is the last. */
void trace_counts_turn(struct trace_counts *counts, uint64_t ts, bool last, trace_count_fn *each,
		       void *arg)
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
		if (added.count || (last && (added.bytes || added.errors))) {
			each(arg, &sum->key, &added, ts);
			sum->changed_ns = ts;
			sum->told = sum->now;
		}
		memset(&sum->now, 0, sizeof(sum->now));
	}
}

/* ---- the kernel's table ---- */

struct table {
	int entries; /* the map */
	struct iot_counts_used used;
};

static struct iot_count_key key_of(const struct iot_count *entry)
{
	return (struct iot_count_key){ .tgid = (u32)(entry->who >> 32),
				       .dev = (u32)entry->who,
				       .layer = (u8)(entry->what >> 24),
				       .op = (u8)(entry->what >> 16),
				       .class = (u8)(entry->what >> 8),
				       .share = (u8)entry->what };
}

static bool open_table(struct table *table, const struct trace *trace)
{
	int used = load_map(&trace->loaded, "iot_counts_used");
	uint32_t zero = 0;

	table->entries = load_map(&trace->loaded, "iot_counts");
	return used >= 0 && table->entries >= 0 && !bpf_map_get(used, &zero, &table->used);
}

/* The next entry from *at on; false when there is none. One that was freed has no key. */
static bool next_entry(const struct table *table, uint32_t *at, struct iot_count *entry)
{
	for (; *at < IOT_COUNTS; ++*at) {
		uint64_t bits = table->used.bits[*at / 64] >> (*at % 64);

		if (!bits) {
			*at |= 63;
			continue;
		}
		*at += (uint32_t)__builtin_ctzll(bits);
		if (!bpf_map_get(table->entries, at, entry) && entry->what)
			return true;
	}
	return false;
}

/* Nobody counts there any more, but for a thread of the kernel that still carries its bytes. */
static bool is_over(const struct sum *sum, uint64_t ts)
{
	return sum->used && sum->key.tgid && ts - sum->changed_ns > RESTED_NS &&
	       kill((pid_t)sum->key.tgid, 0) && errno == ESRCH;
}

void trace_counts_clear(const struct trace *trace)
{
	static const struct iot_count free_entry;
	struct iot_count entry;
	struct table table;

	if (!open_table(&table, trace))
		return;
	for (uint32_t at = 0; next_entry(&table, &at, &entry); at++)
		bpf_map_put(table.entries, &at, &free_entry);
}

static void free_entries(struct trace_counts *counts, const struct table *table)
{
	static const struct iot_count free_entry;
	struct iot_count entry;

	for (uint32_t at = 0; next_entry(table, &at, &entry); at++) {
		const struct iot_count_key key = key_of(&entry);

		if (slot_of(counts->sums, counts->n_slots, &key)->over)
			bpf_map_put(table->entries, &at, &free_entry);
	}
}

static void forget_ended(struct trace_counts *counts, const struct table *table, uint64_t ts)
{
	struct sum *sums = calloc(counts->n_slots, sizeof(*sums));
	bool any = false;

	if (!sums)
		return; /* another time */
	for (size_t i = 0; i < counts->n_slots; i++) {
		counts->sums[i].over = is_over(&counts->sums[i], ts);
		any = any || counts->sums[i].over;
	}
	if (any)
		free_entries(counts, table);
	move(counts, sums, counts->n_slots);
}

/* The next look finds all of them again. */
static void give_up(struct trace_counts *counts)
{
	log_error("layers: no memory for %zu counts", counts->n);
	for (size_t i = 0; i < counts->n_slots; i++)
		memset(&counts->sums[i].now, 0, sizeof(counts->sums[i].now));
}

void trace_counts_unseen(struct trace_counts *counts, const struct trace *trace, struct iot_rq *rq)
{
	struct iot_count counted;
	struct iot_count_key key;

	if (counts && trace_count_request(trace, rq, &key, &counted) &&
	    !trace_counts_add(counts, &key, &counted))
		give_up(counts);
}

void trace_counts_read(struct trace_counts *counts, const struct trace *trace, uint64_t ts,
		       bool last, trace_count_fn *each, void *arg)
{
	struct table table;
	struct iot_count entry;
	size_t n = 0;

	if (!counts || !open_table(&table, trace))
		return;
	for (uint32_t at = 0; next_entry(&table, &at, &entry); at++, n++) {
		const struct iot_count_key key = key_of(&entry);

		if (!trace_counts_add(counts, &key, &entry)) {
			give_up(counts);
			return;
		}
	}
	trace_counts_turn(counts, ts, last, each, arg);
	if (n > CROWDED)
		forget_ended(counts, &table, ts);
}
