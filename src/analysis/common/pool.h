/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is taken in small parts and given back as a whole. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct pool_block;

struct pool {
	struct pool_block *blocks;
	size_t used; /* of the newest block */
	size_t size;
	uint64_t total; /* bytes of all blocks */
};

/* Zeroed, aligned for any type; NULL without memory. The zeroed pool is empty. */
void *pool_take(struct pool *pool, size_t size);
/* A copy with a NUL behind it. */
char *pool_text(struct pool *pool, const char *text, size_t len);
void pool_free(struct pool *pool);
