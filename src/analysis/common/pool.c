/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the blocks. Nothing of them is given back before the pool is. */
#include "analysis/common/pool.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 * 1024, ALIGN = 16 };

struct pool_block {
	struct pool_block *older;
	_Alignas(ALIGN) char bytes[];
};

void *pool_take(struct pool *pool, size_t size)
{
	void *taken;

	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (pool->size - pool->used < size) {
		size_t room = size > BLOCK ? size : BLOCK;
		struct pool_block *block = calloc(1, sizeof(*block) + room);

		if (!block)
			return NULL;
		block->older = pool->blocks;
		pool->blocks = block;
		pool->used = 0;
		pool->size = room;
		pool->total += sizeof(*block) + room;
	}
	taken = pool->blocks->bytes + pool->used;
	pool->used += size;
	return taken;
}

char *pool_text(struct pool *pool, const char *text, size_t len)
{
	char *copy = pool_take(pool, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

void pool_free(struct pool *pool)
{
	while (pool->blocks) {
		struct pool_block *older = pool->blocks->older;

		free(pool->blocks);
		pool->blocks = older;
	}
	pool->used = pool->size = 0;
	pool->total = 0;
}
