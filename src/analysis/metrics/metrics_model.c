/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the choice of what has a series of its own: who comes first. A counter that has begun goes on, so nothing
 * that has one gives way to another.
 */
#include "analysis/metrics/metrics_model.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"

/* Lines of a file, out of METRICS_MAX_LINES: the rest is for devices, losses and the tracer itself. */
enum { OF_SERIES, OF_OPERATIONS, OF_LAYERS };
static const unsigned room[] = { [OF_SERIES] = 1100, [OF_OPERATIONS] = 450, [OF_LAYERS] = 250 };

static const char other[] = "other";

const uint64_t metrics_bounds[METRICS_BUCKETS] = { 10000,     50000,     250000,
						   1000000,   5000000,   25000000,
						   100000000, 500000000, 2500000000 };

bool metrics_has_times(enum stream_id stream)
{
	return stream != STREAM_exec && stream != STREAM_cache && stream != STREAM_nw_drop;
}

/* An exec or a fault that failed is no error of I/O, and the report has none of these either. */
bool metrics_has_errors(enum stream_id stream)
{
	return stream != STREAM_exec && stream != STREAM_cache && stream != STREAM_nw_drop &&
	       stream != STREAM_pagefault;
}

static bool moves_bytes(enum stream_id stream)
{
	return stream == STREAM_fs || stream == STREAM_ds || stream == STREAM_nw ||
	       stream == STREAM_iouring || stream == STREAM_layers;
}

static unsigned lines_of(enum stream_id stream)
{
	unsigned times = stream == STREAM_layers ? 3 : METRICS_BUCKETS + 3;

	return 1 + metrics_has_errors(stream) + moves_bytes(stream) +
	       (metrics_has_times(stream) ? times : 0);
}

/* ---- series ---- */

struct key {
	enum stream_id stream;
	const char *layer, *operation;
	size_t layer_len, operation_len;
	const char *system;
};

static bool is_text(const char *text, const char *bytes, size_t len)
{
	return !strncmp(text, bytes, len) && !text[len];
}

static bool is(const void *owner, uint32_t item, const void *key)
{
	const struct metrics_series *s = &((const struct metrics_model *)owner)->list[item];
	const struct key *k = key;

	return s->stream == k->stream && !strcmp(s->system, k->system) &&
	       is_text(s->operation, k->operation, k->operation_len) &&
	       is_text(s->layer, k->layer, k->layer_len);
}

/* NULL: there is no room of that kind, or no memory. */
static struct metrics_series *make(struct metrics_model *m, const struct key *key, uint64_t hash,
				   unsigned kind)
{
	struct metrics_series *s;

	if (m->lines[kind] + lines_of(key->stream) > room[kind])
		return NULL;
	if (!hash_index_room(&m->index) || !grow(&m->list, &m->max, m->n + 1, 64, sizeof(*m->list)))
		return NULL;
	s = &m->list[m->n];
	*s = (struct metrics_series){ .stream = key->stream, .system = key->system };
	s->layer = pool_text(&m->pool, key->layer, key->layer_len);
	s->operation = pool_text(&m->pool, key->operation, key->operation_len);
	if (!s->layer || !s->operation)
		return NULL;
	hash_index_add(&m->index, hash, m->n++);
	m->lines[kind] += lines_of(key->stream);
	return s;
}

static struct metrics_series *find(struct metrics_model *m, const struct key *key, unsigned kind)
{
	uint64_t hash = hash_text((uint64_t)key->stream + 1, key->operation, key->operation_len);
	int64_t at;

	hash = hash_text(hash, key->layer, key->layer_len);
	hash = hash_text(hash, key->system, strlen(key->system));
	at = hash_index_find(&m->index, hash, is, m, key);
	return at >= 0 ? &m->list[at] : make(m, key, hash, kind);
}

/* Its own, or the sum of the operation, or that of the layer. */
static struct metrics_series *series_of(struct metrics_model *m, const struct operation *op,
					const struct field *operation, const char *system)
{
	const struct field *layer = &op->parts[OP_DETAIL];
	struct key key = { .stream = op->stream,
			   .layer = streams[op->stream].name,
			   .layer_len = strlen(streams[op->stream].name),
			   .operation = operation->text,
			   .operation_len = operation->len,
			   .system = system };
	struct metrics_series *s;

	if (op->stream == STREAM_layers) {
		key.layer = layer->text;
		key.layer_len = layer->len;
	}
	s = find(m, &key, OF_SERIES);
	key.system = other;
	s = s ? s : find(m, &key, OF_OPERATIONS);
	key.operation = other;
	key.operation_len = sizeof(other) - 1;
	return s ? s : find(m, &key, OF_LAYERS);
}

static void add_time(struct metrics_series *s, uint64_t ns)
{
	unsigned i = 0;

	while (i < METRICS_BUCKETS && ns > metrics_bounds[i])
		i++;
	s->timed++;
	s->ns += ns;
	s->buckets[i]++;
}

/* Sums of many: no row has the time of one. */
static void add_sums(struct metrics_series *s, const struct operation *op)
{
	s->count += op->parts[OP_COUNT].u;
	s->errors += op->parts[OP_ERRORS].u;
	s->bytes += op->parts[OP_SIZE].u;
	s->moves = true;
	s->timed += op->parts[OP_COUNT].u;
	s->ns += op->parts[OP_LATENCY].u;
}

static void add(struct metrics_series *s, const struct operation *op)
{
	const struct operation_facts f = operation_facts(op);

	s->count++;
	s->errors += f.failed;
	s->moves = s->moves || f.reads || f.writes;
	s->bytes += f.reads || f.writes ? f.bytes : 0;
	if (f.timed)
		add_time(s, f.ns);
}

/* ---- devices ---- */

/* 8:0 is sda; what has gone keeps its number. */
static void name_device(struct metrics_device *d)
{
	char path[64], target[256];
	const char *name;
	ssize_t n;

	snprintf(d->name, sizeof(d->name), "%s", d->number);
	snprintf(path, sizeof(path), "/sys/dev/block/%s", d->number);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	if (strlen(name) < sizeof(d->name))
		strcpy(d->name, name);
}

static struct metrics_device *device_of(struct metrics_model *m, const struct field *number)
{
	struct metrics_device *d;

	for (unsigned i = 0; i < m->n_devices; i++)
		if (is_text(m->devices[i].number, number->text, number->len))
			return &m->devices[i];
	if (m->n_devices == METRICS_MAX_DEVICES || number->len >= sizeof(d->number))
		return NULL;
	d = &m->devices[m->n_devices++];
	memcpy(d->number, number->text, number->len);
	name_device(d);
	return d;
}

static void use_device(struct metrics_model *m, const struct operation *op)
{
	const struct field *mono = &op->parts[OP_MONO], *latency = &op->parts[OP_LATENCY];
	struct metrics_device *d = op->parts[OP_DEVICE].len && latency->known && mono->known ?
					   device_of(m, &op->parts[OP_DEVICE]) :
					   NULL;

	if (d)
		busy_add(&d->busy, mono->u - latency->u, mono->u);
}

/* ---- losses ---- */

static struct metrics_loss *loss_of(struct metrics_model *m, const char *stream, size_t stream_len,
				    const char *reason, size_t reason_len)
{
	struct metrics_loss *loss;

	for (unsigned i = 0; i < m->n_losses; i++)
		if (is_text(m->losses[i].stream, stream, stream_len) &&
		    is_text(m->losses[i].reason, reason, reason_len))
			return &m->losses[i];
	loss = &m->losses[m->n_losses];
	if (m->n_losses == METRICS_MAX_LOSSES) {
		loss->stream = loss->reason = other;
		return loss;
	}
	loss->stream = pool_text(&m->pool, stream, stream_len);
	loss->reason = pool_text(&m->pool, reason, reason_len);
	if (!loss->stream || !loss->reason) {
		m->no_memory = true;
		loss->stream = loss->reason = other;
		return loss;
	}
	m->n_losses++;
	return loss;
}

/* ---- rows ---- */

/* Of io_uring a request counts when it completes; a stay on a CPU is no operation. */
static const struct field *operation_of(const struct operation *op)
{
	if (op->stream == STREAM_sched)
		return NULL;
	if (op->stream == STREAM_iouring)
		return field_is(&op->parts[OP_EVENT], "COMPLETE") ? &op->parts[OP_DETAIL] : NULL;
	return &op->parts[OP_EVENT];
}

void metrics_feed(struct metrics_model *m, const struct operation *op, const char *system)
{
	const struct field *event = &op->parts[OP_EVENT], *detail = &op->parts[OP_DETAIL];
	const struct field *operation = operation_of(op);
	const char *stream = streams[op->stream].name;
	struct metrics_series *s;

	if (op->stream == STREAM_lost) {
		loss_of(m, detail->text, detail->len, event->text, event->len)->events +=
			op->parts[OP_SIZE].u;
		return;
	}
	if (!operation)
		return;
	s = series_of(m, op, operation, system);
	if (!s) {
		m->no_memory = true;
		return;
	}
	/* a counter of losses that first appears with the losses in it shows no increase */
	if (!s->count && op->stream != STREAM_layers)
		loss_of(m, stream, strlen(stream), "ring", 4);
	if (op->stream == STREAM_layers)
		add_sums(s, op);
	else
		add(s, op);
	if (op->stream == STREAM_ds)
		use_device(m, op);
}

void metrics_free(struct metrics_model *m)
{
	free(m->list);
	hash_index_close(&m->index);
	pool_free(&m->pool);
}
