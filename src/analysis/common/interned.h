/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One copy of each text, so that equal ones are the same pointer. */
#pragma once

#include <stdbool.h>

#include "analysis/common/pool.h"

/* All zero is empty. */
struct interned {
	const char **slots;
	uint64_t n, n_slots; /* a power of two */
};

/* The copy, which is in the pool; NULL without memory. */
const char *interned_text(struct interned *interned, struct pool *pool, const char *text,
			  size_t len);
void interned_free(struct interned *interned);
