/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of what happened to a process or a file, and when: read once, before the rows that they are for. */
#pragma once

#include "analysis/common/pool.h"
#include "read/read_parallel.h"

/* The first member of an item. */
struct history_key {
	uint64_t id; /* of whom */
	uint64_t ns;
};

/* All zero is empty. */
struct history {
	void *list;
	size_t size; /* of an item */
	uint64_t n, max;
	struct pool pool; /* of their texts */
	bool no_memory;   /* some are missing */
};

/* The next item; what follows its key is zero. NULL without memory. */
void *history_add(struct history *history, size_t size, uint64_t id, uint64_t ns);
/* Reads rows by one thread, since they are few, and sorts what they become. Returns 0 or -errno, reported. */
int history_read(struct history *history, const struct read_session *session,
		 const struct read_query *query,
		 void (*row)(void *arg, const struct read_task *task, const struct field *fields));
/* After items were added by hand. */
void history_sort(struct history *history);
/* The number of the first item of id that is not before ns, or of the first one behind its place. */
uint64_t history_find(const struct history *history, uint64_t id, uint64_t ns);
/* NULL: none of id has the number. */
const void *history_at(const struct history *history, uint64_t i, uint64_t id);
void history_free(struct history *history);
