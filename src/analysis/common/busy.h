/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how long there was anything to do, whatever was done at once: spans of time, in the order of their ends or beginnings. */
#pragma once

#include <stdint.h>

struct busy_span {
	uint64_t from, to;
};

enum { BUSY_SPANS = 16 };

/* The zeroed one is empty. */
struct busy {
	uint64_t ns;    /* of spans that are not here any more */
	uint64_t floor; /* where these end */
	unsigned n;
	/* the last ones, apart from each other: a later one may have begun before them */
	struct busy_span spans[BUSY_SPANS];
};

/* One that ends before the last one began is of another series, as the rows of another segment are. */
void busy_add(struct busy *busy, uint64_t from, uint64_t to);
uint64_t busy_ns(const struct busy *busy);
