/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the items and the numbers over time, and the moving of these when time goes on. */
#include "analysis/report/report_tally.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"

enum { FIRST_SLOTS = 1024 };

/* ---- items ---- */

static uint64_t hash_of(const struct report_key *key)
{
	return hash_text(hash_mix(hash_mix(key->number, key->second), key->kind), key->name,
			 key->len);
}

static bool grow(struct report_tally *tally)
{
	uint64_t n = tally->n_slots ? 2 * tally->n_slots : FIRST_SLOTS;
	struct report_item **slots = calloc(n, sizeof(*slots)), *item, *next;

	if (!slots)
		return false;
	for (uint64_t i = 0; i < tally->n_slots; i++)
		for (item = tally->slots[i]; item; item = next) {
			next = item->next;
			item->next = slots[item->hash & (n - 1)];
			slots[item->hash & (n - 1)] = item;
		}
	free(tally->slots);
	tally->slots = slots;
	tally->n_slots = n;
	return true;
}

static struct report_item *find(const struct report_tally *tally, const struct report_key *key,
				uint64_t hash)
{
	struct report_item *item = tally->slots[hash & (tally->n_slots - 1)];

	while (item &&
	       (item->hash != hash || item->kind != key->kind || item->number != key->number ||
		item->second != key->second || item->name_len != key->len ||
		(key->len && memcmp(item->name, key->name, key->len))))
		item = item->next;
	return item;
}

struct report_item *report_item(struct report_tally *tally, const struct report_key *given)
{
	struct report_key key = *given;
	struct report_item *item = NULL, **slot;
	uint64_t hash;

	if (!key.name)
		key.name = "";
	hash = hash_of(&key);
	if (tally->n_slots)
		item = find(tally, &key, hash);
	if (item)
		return item;
	if (tally->n_items < tally->n_slots || grow(tally))
		item = pool_take(&tally->pool, sizeof(*item));
	if (item)
		item->name = key.len ? pool_text(&tally->pool, key.name, key.len) : "";
	if (!item || !item->name) {
		tally->no_memory = true;
		return NULL;
	}
	item->kind = (uint8_t)key.kind;
	item->hash = hash;
	item->number = key.number;
	item->second = key.second;
	item->name_len = (uint32_t)key.len;
	slot = &tally->slots[hash & (tally->n_slots - 1)];
	item->next = *slot;
	*slot = item;
	tally->n_items++;
	return item;
}

const struct report_item *report_find(const struct report_tally *tally,
				      const struct report_key *key)
{
	return tally->n_slots ? find(tally, key, hash_of(key)) : NULL;
}

const char *report_item_part(const struct report_item *item, unsigned which, size_t *len)
{
	const char *at = item->name, *end = item->name + item->name_len;

	for (; which; which--)
		at = at < end ? at + strnlen(at, (size_t)(end - at)) + 1 : end;
	at = at < end ? at : end;
	*len = strnlen(at, (size_t)(end - at));
	return at;
}

bool report_item_part_is(const struct report_item *item, unsigned which, const char *text)
{
	size_t len;
	const char *its = report_item_part(item, which, &len);

	return len == strlen(text) && !memcmp(its, text, len);
}

const struct report_item *report_next(const struct report_tally *tally, enum report_kind kind,
				      const struct report_item *before)
{
	uint64_t slot = before ? (before->hash & (tally->n_slots - 1)) + 1 : 0;
	const struct report_item *item = before ? before->next : NULL;

	for (;; item = item->next) {
		while (!item && slot < tally->n_slots)
			item = tally->slots[slot++];
		if (!item || item->kind == (uint8_t)kind)
			return item;
	}
}

/* The last one by time, whatever the order in which rows are read. */
static bool is_newer(const struct report_item *item, const char *label, size_t len, uint64_t ns)
{
	int order;

	if (!len || !item->label_len || ns != item->label_ns)
		return len && ns >= item->label_ns;
	order = memcmp(label, item->label, len < item->label_len ? len : item->label_len);
	return order > 0 || (!order && len > item->label_len);
}

void report_item_label(struct report_tally *tally, struct report_item *item, const char *label,
		       size_t len, uint64_t ns)
{
	if (!is_newer(item, label, len, ns))
		return;
	/* names come and go: the room for one is used again */
	if (len > item->label_room) {
		size_t room = (len + 31) / 32 * 32;
		char *more = pool_take(&tally->pool, room);

		if (!more) {
			tally->no_memory = true;
			return;
		}
		item->label = more;
		item->label_room = (uint32_t)room;
	}
	memcpy(item->label, label, len);
	item->label_len = (uint32_t)len;
	item->label_ns = ns;
}

void report_item_time(struct report_item *item, uint64_t latency_ns)
{
	item->values[REPORT_TIMED]++;
	item->values[REPORT_NS] += latency_ns;
	if (latency_ns > item->values[REPORT_MAX_NS])
		item->values[REPORT_MAX_NS] = latency_ns;
}

/* What only some items have: made when there is something of it. */
static void *part(struct report_tally *tally, void *there, size_t size)
{
	void *part = there ? there : calloc(1, size);

	tally->no_memory = tally->no_memory || !part;
	return part;
}

static bool has_latencies(struct report_tally *tally, struct report_item *item)
{
	item->latencies = part(tally, item->latencies, sizeof(*item->latencies));
	return item->latencies;
}

void report_item_latency(struct report_tally *tally, struct report_item *item, uint64_t latency_ns)
{
	if (has_latencies(tally, item))
		latencies_add(item->latencies, latency_ns);
}

/* ---- over time ---- */

static void move_all(struct report_tally *tally, const struct time_move *move)
{
	bool ok = true;

	for (unsigned i = 0; i < N_STREAMS; i++)
		if (tally->streams[i].over)
			ok = time_move_numbers(move, tally->streams[i].over[0], sizeof(uint64_t),
					       N_REPORT_SERIES) &&
			     ok;
	for (uint64_t i = 0; i < tally->n_slots; i++)
		for (struct report_item *item = tally->slots[i]; item; item = item->next)
			if (item->heat)
				ok = time_move_numbers(move, item->heat, sizeof(uint32_t),
						       REPORT_HEAT) &&
				     ok;
	tally->no_memory = tally->no_memory || !ok;
}

static void reach(struct report_tally *tally, uint64_t ns, unsigned doublings)
{
	struct time_move move;

	if (time_bins_reach(&tally->bins, ns, doublings, &move))
		move_all(tally, &move);
}

static unsigned bin_of(struct report_tally *tally, uint64_t ns)
{
	int bin = time_bins_find(&tally->bins, ns);

	if (bin < 0) {
		reach(tally, ns, 0);
		bin = time_bins_find(&tally->bins, ns);
	}
	return (unsigned)bin;
}

static bool has_over(struct report_tally *tally, enum stream_id stream)
{
	struct report_stream *s = &tally->streams[stream];

	if (!s->over)
		s->over = calloc(TIME_BINS, sizeof(*s->over));
	tally->no_memory = tally->no_memory || !s->over;
	return s->over;
}

uint64_t *report_over(struct report_tally *tally, enum stream_id stream, uint64_t mono_ns)
{
	if (!has_over(tally, stream))
		return tally->nowhere;
	return tally->streams[stream].over[bin_of(tally, mono_ns)];
}

static bool has_heat(struct report_tally *tally, struct report_item *item)
{
	item->heat = part(tally, item->heat, TIME_BINS * REPORT_HEAT * sizeof(*item->heat));
	return item->heat;
}

void report_item_heat(struct report_tally *tally, struct report_item *item, uint64_t mono_ns,
		      uint64_t latency_ns)
{
	unsigned power = latency_ns ? 64u - (unsigned)__builtin_clzll(latency_ns) : 0;
	unsigned row = power > REPORT_HEAT_FIRST ? power - REPORT_HEAT_FIRST : 0;

	if (has_heat(tally, item))
		item->heat[bin_of(tally, mono_ns) * REPORT_HEAT +
			   (row < REPORT_HEAT ? row : REPORT_HEAT - 1)]++;
}

static bool has_busy(struct report_tally *tally, struct report_item *item)
{
	item->busy = part(tally, item->busy, sizeof(*item->busy));
	return item->busy;
}

void report_item_busy(struct report_tally *tally, struct report_item *item, uint64_t from,
		      uint64_t to)
{
	if (has_busy(tally, item))
		busy_add(item->busy, from, to);
}

struct report_distinct *report_item_distinct(struct report_tally *tally, struct report_item *item)
{
	return item->distinct = part(tally, item->distinct, sizeof(*item->distinct));
}

struct report_exchange *report_item_exchange(struct report_tally *tally, struct report_item *item)
{
	return item->exchange = part(tally, item->exchange, sizeof(*item->exchange));
}

uint64_t *report_item_habits(struct report_tally *tally, struct report_item *item)
{
	return item->habits = part(tally, item->habits, N_REPORT_HABITS * sizeof(*item->habits));
}

/* ---- together ---- */

void report_item_add(struct report_item *item, const struct report_item *other)
{
	for (unsigned i = 0; i < N_REPORT_MEASURES; i++)
		if (i != REPORT_MAX_NS)
			item->values[i] += other->values[i];
		else if (other->values[i] > item->values[i])
			item->values[i] = other->values[i];
	item->read_known = item->read_known || other->read_known;
	item->write_known = item->write_known || other->write_known;
}

static void join_parts(struct report_tally *tally, struct report_item *item,
		       const struct report_item *other, const struct time_move *move)
{
	if (other->latencies && has_latencies(tally, item))
		latencies_join(item->latencies, other->latencies);
	if (other->busy && has_busy(tally, item))
		item->busy->ns += busy_ns(other->busy);
	if (other->distinct && report_item_distinct(tally, item))
		report_distinct_join(item->distinct, other->distinct);
	if (other->exchange && report_item_exchange(tally, item))
		report_exchange_join(item->exchange, other->exchange);
	if (other->habits && report_item_habits(tally, item))
		for (unsigned i = 0; i < N_REPORT_HABITS; i++)
			item->habits[i] += other->habits[i];
	if (other->heat && has_heat(tally, item))
		for (unsigned i = 0; i < move->n; i++)
			for (unsigned j = 0; j < REPORT_HEAT; j++)
				item->heat[move->to[i] * REPORT_HEAT + j] +=
					other->heat[i * REPORT_HEAT + j];
}

static void join_item(struct report_tally *tally, const struct report_item *other,
		      const struct time_move *move)
{
	const struct report_key key = { (enum report_kind)other->kind, other->number, other->second,
					other->name, other->name_len };
	struct report_item *item = report_item(tally, &key);

	if (!item)
		return;
	report_item_label(tally, item, other->label, other->label_len, other->label_ns);
	if (other->label_ns > item->label_ns)
		item->label_ns = other->label_ns;
	if (other->first_ns && (!item->first_ns || other->first_ns < item->first_ns))
		item->first_ns = other->first_ns;
	report_item_add(item, other);
	join_parts(tally, item, other, move);
}

static void join_stream(struct report_tally *tally, enum stream_id id,
			const struct report_stream *other, const struct time_move *move)
{
	struct report_stream *s = &tally->streams[id];

	rows_seen_join(&s->seen, &other->seen);
	if (!report_slowest_join(&s->slowest, &other->slowest))
		tally->no_memory = true;
	if (other->over && has_over(tally, id))
		for (unsigned i = 0; i < move->n; i++)
			for (unsigned j = 0; j < N_REPORT_SERIES; j++)
				s->over[move->to[i]][j] += other->over[i][j];
}

/* A file that is kept has all its rows. */
static bool is_of_a_file(const struct report_item *item)
{
	return item->kind == REPORT_CACHED || item->kind == REPORT_FAULTED ||
	       item->kind == REPORT_DELETED || item->kind == REPORT_MAPPED ||
	       item->kind == REPORT_RENAMED || item->kind == REPORT_DOUBTFUL;
}

static void scale_item(struct report_item *item, unsigned power)
{
	struct latencies *l = item->latencies;

	if (is_of_a_file(item))
		return;
	for (unsigned i = 0; i < N_REPORT_MEASURES; i++)
		if (i != REPORT_MAX_NS)
			item->values[i] <<= power;
	for (unsigned i = 0; item->habits && i < N_REPORT_HABITS; i++)
		item->habits[i] <<= power;
	for (unsigned i = 0; item->heat && i < TIME_BINS * REPORT_HEAT; i++)
		item->heat[i] <<= power;
	if (!l)
		return;
	l->n <<= power;
	l->sum <<= power;
	for (unsigned i = 0; i < LATENCIES_BUCKETS; i++)
		l->counts[i] <<= power;
}

void report_tally_scale(struct report_tally *tally, unsigned power)
{
	if (!power)
		return;
	for (unsigned i = 0; i < N_STREAMS; i++)
		for (unsigned j = 0; tally->streams[i].over && j < TIME_BINS; j++)
			for (unsigned k = 0; k < N_REPORT_SERIES; k++)
				tally->streams[i].over[j][k] <<= power;
	for (uint64_t i = 0; i < tally->n_slots; i++)
		for (struct report_item *item = tally->slots[i]; item; item = item->next)
			scale_item(item, power);
}

void report_tally_join(struct report_tally *tally, const struct report_tally *other)
{
	const struct time_bins *from = &other->bins;
	struct time_move move = { .n = from->n };

	if (from->n) {
		reach(tally, time_bins_start(from, 0), from->doublings);
		reach(tally, time_bins_start(from, from->n - 1), from->doublings);
	}
	for (unsigned i = 0; i < from->n; i++)
		move.to[i] = (uint16_t)time_bins_find(&tally->bins, time_bins_start(from, i));
	for (unsigned i = 0; i < N_STREAMS; i++)
		join_stream(tally, (enum stream_id)i, &other->streams[i], &move);
	for (uint64_t i = 0; i < other->n_slots; i++)
		for (const struct report_item *item = other->slots[i]; item; item = item->next)
			join_item(tally, item, &move);
	tally->no_memory = !report_open_join(&tally->open, &other->open) || tally->no_memory ||
			   other->no_memory;
}

void report_tally_free(struct report_tally *tally)
{
	for (unsigned i = 0; i < N_STREAMS; i++) {
		free(tally->streams[i].over);
		report_slowest_free(&tally->streams[i].slowest);
	}
	for (uint64_t i = 0; i < tally->n_slots; i++)
		for (struct report_item *item = tally->slots[i]; item; item = item->next) {
			free(item->latencies);
			free(item->heat);
			free(item->busy);
			free(item->distinct);
			free(item->exchange);
			free(item->habits);
		}
	free(tally->slots);
	free(tally->stalls);
	report_open_free(&tally->open);
	pool_free(&tally->pool);
	memset(tally, 0, sizeof(*tally));
}
