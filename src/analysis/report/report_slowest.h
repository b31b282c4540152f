/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest operations of a stream, in bounded memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/parse.h"

enum { REPORT_MOST_SLOWEST = 1000 };

struct report_slow {
	uint64_t latency_ns;
	uint64_t mono_ns; /* when it began */
	uint64_t pid;
	uint64_t tid; /* 0: not known */
	char operation[24];
	char command[24];
	char *path; /* NULL: none */
	uint32_t path_len;
};

/* The zeroed one is empty. */
struct report_slowest {
	struct report_slow *list; /* a heap, the quickest first */
	uint64_t n, max;
};

/*
 * Keeps it, with copies of its texts, if it is one of the slowest: slow has its numbers; path may be NULL. Returns
 * false without memory.
 */
bool report_slowest_note(struct report_slowest *slowest, const struct report_slow *slow,
			 const struct field *operation, const struct field *command,
			 const struct field *path);
/* All of other that are among the slowest of both. */
bool report_slowest_join(struct report_slowest *slowest, const struct report_slowest *other);
/* NULL: there is none. */
const struct report_slow *report_slowest_first(const struct report_slowest *slowest);
/* For qsort: the slowest first, and of those the earliest. */
bool report_slow_before(const struct report_slow *a, const struct report_slow *b);
void report_slowest_free(struct report_slowest *slowest);
