/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the blocks that rows are copied into; the lock is taken once a block. */
#include "analysis/common/row_queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/thread.h"
#include "read/split.h"

enum { BLOCK_SIZE = 256 * 1024, BLOCK_ROWS = 4096 };

struct item {
	uint64_t key;
	uint32_t at;
	uint32_t len;
	enum stream_id stream;
};

struct row_block {
	STAILQ_ENTRY(row_block) next;
	uint64_t dropped;
	uint32_t n;
	uint32_t used;
	bool mixed; /* of several streams: each is in order, but not all together */
	struct item items[BLOCK_ROWS];
	char rows[BLOCK_SIZE];
};

STAILQ_HEAD(list, row_block);

struct row_queue {
	struct row_block *filling; /* the recorder's own; NULL: there was no room */
	uint64_t dropped;          /* since that room ended */
	unsigned n_blocks, max_blocks;

	pthread_mutex_t lock; /* of the part below */
	pthread_cond_t rows_came;
	struct list full, empty;
	bool ended;
};

static struct row_block *pop(struct list *list)
{
	struct row_block *block = STAILQ_FIRST(list);

	if (block)
		STAILQ_REMOVE_HEAD(list, next);
	return block;
}

struct row_queue *row_queue_open(unsigned max_blocks)
{
	struct row_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->max_blocks = max_blocks;
	pthread_mutex_init(&queue->lock, NULL);
	thread_cond_init(&queue->rows_came);
	STAILQ_INIT(&queue->full);
	STAILQ_INIT(&queue->empty);
	return queue;
}

static void free_list(struct list *list)
{
	struct row_block *block;

	while ((block = pop(list)))
		free(block);
}

void row_queue_close(struct row_queue *queue)
{
	if (!queue)
		return;
	free_list(&queue->full);
	free_list(&queue->empty);
	free(queue->filling);
	pthread_cond_destroy(&queue->rows_came);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

/* ---- who records ---- */

/* A block to fill, which tells of what was dropped before it. False: there is none. */
static bool find_room(struct row_queue *queue)
{
	struct row_block *block;

	pthread_mutex_lock(&queue->lock);
	block = pop(&queue->empty);
	pthread_mutex_unlock(&queue->lock);
	if (!block && queue->n_blocks < queue->max_blocks) {
		block = malloc(sizeof(*block));
		queue->n_blocks += block != NULL;
	}
	if (!block)
		return false;
	block->n = block->used = 0;
	block->mixed = false;
	block->dropped = queue->dropped;
	queue->dropped = 0;
	queue->filling = block;
	return true;
}

static void queue_block(struct row_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	STAILQ_INSERT_TAIL(&queue->full, queue->filling, next);
	pthread_cond_signal(&queue->rows_came);
	pthread_mutex_unlock(&queue->lock);
	queue->filling = NULL;
}

void row_queue_push(struct row_queue *queue, enum stream_id stream, const char *row, size_t len,
		    uint64_t key)
{
	struct row_block *block = queue->filling;

	if (block && (block->n == BLOCK_ROWS || block->used + len > BLOCK_SIZE - SPLIT_PAD))
		queue_block(queue);
	if (len > ROW_QUEUE_ROW_MAX || (!queue->filling && !find_room(queue))) {
		queue->dropped++;
		return;
	}
	block = queue->filling;
	block->mixed = block->mixed || (block->n && block->items[0].stream != stream);
	block->items[block->n++] = (struct item){ key, block->used, (uint32_t)len, stream };
	memcpy(block->rows + block->used, row, len);
	block->used += (uint32_t)len;
}

void row_queue_tick(struct row_queue *queue)
{
	if (queue->dropped && !queue->filling)
		find_room(queue);
	if (queue->filling && (queue->filling->n || queue->filling->dropped))
		queue_block(queue);
}

void row_queue_end(struct row_queue *queue)
{
	row_queue_tick(queue);
	if (queue->dropped) { /* all blocks wait: the last ones are told of behind them */
		/* as if none had been made: one more may be */
		queue->n_blocks = 0;
		row_queue_tick(queue);
	}
	pthread_mutex_lock(&queue->lock);
	queue->ended = true;
	pthread_cond_signal(&queue->rows_came);
	pthread_mutex_unlock(&queue->lock);
}

/* ---- the thread ---- */

/* Of one time, in the order in which they came. */
static int by_key(const void *a, const void *b)
{
	const struct item *one = a, *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return one->at < other->at ? -1 : one->at > other->at;
}

struct row_block *row_queue_take(struct row_queue *queue, unsigned timeout_ms, bool *ended)
{
	uint64_t until_ns = mono_ns() + timeout_ms * (NS_PER_S / 1000);
	struct timespec until = { (time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S) };
	struct row_block *block;
	int err = 0;

	pthread_mutex_lock(&queue->lock);
	while (!(block = pop(&queue->full)) && !queue->ended && !err)
		err = pthread_cond_timedwait(&queue->rows_came, &queue->lock, &until);
	*ended = !block && queue->ended;
	pthread_mutex_unlock(&queue->lock);
	if (block && block->mixed)
		/* here, because this thread has the time, and who records has not */
		qsort(block->items, block->n, sizeof(block->items[0]), by_key);
	return block;
}

void row_queue_give_back(struct row_queue *queue, struct row_block *block)
{
	pthread_mutex_lock(&queue->lock);
	STAILQ_INSERT_TAIL(&queue->empty, block, next);
	pthread_mutex_unlock(&queue->lock);
}

uint64_t row_block_dropped(const struct row_block *block)
{
	return block->dropped;
}

bool row_block_next(const struct row_block *block, unsigned *at, struct row_view *row)
{
	const struct item *item = &block->items[*at];

	if (*at == block->n)
		return false;
	*row = (struct row_view){ item->stream, block->rows + item->at, item->len, item->key };
	++*at;
	return true;
}
