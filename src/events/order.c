/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the rows that wait, as bytes with a time. What is in a row, it does not know. */
#include "events/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 65536
#define ITEMS_AT_FIRST 512 /* many streams have few rows */

/* Row texts live in chunks, which go back to a list when their last row left. */
struct chunk {
	struct chunk *next;
	uint32_t used;
	uint32_t rows;
	uint32_t size;
	char text[];
};

struct item {
	uint64_t key;
	struct chunk *chunk;
	uint32_t at;
	uint32_t len : 31;
	uint32_t is_told : 1; /* by order_news */
};

struct order {
	struct item *items; /* sorted by key from first to first + n */
	uint32_t room; /* of items: up to 2 * ORDER_ROWS, so that they seldom move to the front */
	uint32_t first;
	uint32_t n;
	struct chunk *open; /* takes new rows */
	struct chunk *spare;
	uint64_t last; /* key of the row that left last */
	uint64_t late;
	uint32_t n_new; /* since order_news */
	order_fn *fn;
	void *arg;
};

struct order *order_open(order_fn *fn, void *arg)
{
	struct order *order = calloc(1, sizeof(*order));

	if (order) {
		order->fn = fn;
		order->arg = arg;
	}
	return order;
}

static void chunk_done(struct order *order, struct chunk *chunk)
{
	if (--chunk->rows)
		return;
	if (chunk == order->open) {
		chunk->used = 0;
	} else if (chunk->size != CHUNK_BYTES) {
		free(chunk);
	} else {
		chunk->next = order->spare;
		order->spare = chunk;
	}
}

static struct chunk *chunk_with_room(struct order *order, size_t len)
{
	struct chunk *chunk = order->open;
	size_t size = len > CHUNK_BYTES ? len : CHUNK_BYTES;

	if (chunk && chunk->size - chunk->used >= len)
		return chunk;
	if (chunk && !chunk->rows && chunk->size >= len) {
		chunk->used = 0;
		return chunk;
	}
	if (order->spare && size == CHUNK_BYTES) {
		chunk = order->spare;
		order->spare = chunk->next;
	} else {
		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		chunk->size = size;
	}
	if (order->open && !order->open->rows) {
		order->open->next = order->spare;
		order->spare = order->open;
	}
	chunk->used = 0;
	chunk->rows = 0;
	order->open = chunk;
	return chunk;
}

static void leave(struct order *order)
{
	struct item *item = &order->items[order->first];

	order->fn(order->arg, item->chunk->text + item->at, item->len, item->key);
	order->last = item->key;
	order->first = --order->n ? order->first + 1 : 0;
	chunk_done(order, item->chunk);
}

/* Where a key belongs among the waiting: nearly always at the end, or close to it. */
static uint32_t place_of(const struct order *order, uint64_t key)
{
	const struct item *items = order->items + order->first;
	uint32_t low = 0, high = order->n;

	for (int near = 0; near < 8 && high > 0; near++, high--)
		if (items[high - 1].key <= key)
			return high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (items[middle].key <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* There is a place behind the last item. False: no memory. */
static bool room_for_one(struct order *order)
{
	uint32_t room = order->room ? 2 * order->room : ITEMS_AT_FIRST;
	struct item *grown;

	if (order->first + order->n < order->room)
		return true;
	if (2 * order->n >= order->room && room <= 2 * ORDER_ROWS) {
		grown = realloc(order->items, room * sizeof(*grown));
		if (grown) {
			order->items = grown;
			order->room = room;
			return true;
		}
	}
	if (!order->first)
		return false;
	memmove(order->items, order->items + order->first, order->n * sizeof(order->items[0]));
	order->first = 0;
	return true;
}

void order_push(struct order *order, uint64_t key, const char *row, size_t len)
{
	struct chunk *chunk;
	struct item *items;
	uint32_t at;

	order->n_new++;
	if (order->n == ORDER_ROWS)
		leave(order);
	chunk = key < order->last || !room_for_one(order) ? NULL : chunk_with_room(order, len);
	if (!chunk) {
		/* too late for its place (or no memory to wait in) */
		order->late++;
		order->fn(order->arg, row, len, key);
		return;
	}
	at = place_of(order, key);
	items = order->items + order->first;
	memmove(items + at + 1, items + at, (order->n - at) * sizeof(items[0]));
	items[at] = (struct item){ .key = key, .chunk = chunk, .at = chunk->used, .len = len };
	memcpy(chunk->text + chunk->used, row, len);
	chunk->used += len;
	chunk->rows++;
	order->n++;
}

void order_flush(struct order *order, uint64_t now)
{
	uint64_t limit = now == UINT64_MAX ? now : now > ORDER_HOLD_NS ? now - ORDER_HOLD_NS : 0;

	while (order->n && order->items[order->first].key <= limit)
		leave(order);
}

void order_news(struct order *order, order_fn *fn, void *arg)
{
	bool leave_soon = order->n_new > ORDER_ROWS;

	order->n_new = 0;
	for (uint32_t i = 0; i < order->n && !leave_soon; i++) {
		struct item *item = &order->items[order->first + i];

		if (item->is_told)
			continue;
		item->is_told = true;
		fn(arg, item->chunk->text + item->at, item->len, item->key);
	}
}

uint64_t order_first(const struct order *order)
{
	return order->n ? order->items[order->first].key : UINT64_MAX;
}

uint64_t order_late(const struct order *order)
{
	return order->late;
}

void order_close(struct order *order)
{
	if (!order)
		return;
	while (order->n) {
		struct item *item = &order->items[order->first];

		order->first++;
		order->n--;
		chunk_done(order, item->chunk);
	}
	while (order->spare) {
		struct chunk *chunk = order->spare;

		order->spare = chunk->next;
		free(chunk);
	}
	free(order->open);
	free(order->items);
	free(order);
}
