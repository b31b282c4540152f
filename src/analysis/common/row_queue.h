/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows on their way from a recording to the thread that shows them. Who records never
 * waits: what finds no room is dropped and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/schema.h"

struct row_queue;
struct row_block;

enum { ROW_QUEUE_ROW_MAX = 192 * 1024 };

/* max_blocks of 256 KiB, which are allocated when they are needed. NULL without memory. */
struct row_queue *row_queue_open(unsigned max_blocks);
void row_queue_close(struct row_queue *queue);

/* ---- who records ---- */

/* With its line end; key: its time. */
void row_queue_push(struct row_queue *queue, enum stream_id stream, const char *row, size_t len,
		    uint64_t key);
/* A few times a second: what came so far goes to the thread. */
void row_queue_tick(struct row_queue *queue);
/* Nothing comes any more. */
void row_queue_end(struct row_queue *queue);

/* ---- the thread ---- */

/*
 * The next block, waiting for at most that long. NULL: there is none; *ended: and none will come.
 */
struct row_block *row_queue_take(struct row_queue *queue, unsigned timeout_ms, bool *ended);
void row_queue_give_back(struct row_queue *queue, struct row_block *block);

/* Rows that were dropped between the block before and this one. */
uint64_t row_block_dropped(const struct row_block *block);

struct row_view {
	enum stream_id stream;
	const char *row; /* with SPLIT_PAD readable bytes behind it */
	size_t len;
	uint64_t key;
};

/* In the order of their time, from *at = 0 on. False: that was the last. */
bool row_block_next(const struct row_block *block, unsigned *at, struct row_view *row);
