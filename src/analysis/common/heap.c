/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of the list. An element is bytes to it. */
#include "analysis/common/heap.h"

#include <string.h>

/* In pieces, so that elements of any size need no memory. */
static void swap(char *a, char *b, size_t size)
{
	char part[256];

	for (size_t n; size; a += n, b += n, size -= n) {
		n = size < sizeof(part) ? size : sizeof(part);
		memcpy(part, a, n);
		memcpy(a, b, n);
		memcpy(b, part, n);
	}
}

void heap_rise(void *list, uint64_t n, size_t size, heap_before_fn *before)
{
	char *base = list;

	for (uint64_t at = n - 1, above; at; at = above) {
		above = (at - 1) / 2;
		if (!before(base + at * size, base + above * size))
			return;
		swap(base + at * size, base + above * size, size);
	}
}

void heap_sink(void *list, uint64_t n, size_t size, heap_before_fn *before)
{
	char *base = list;
	uint64_t at = 0, below;

	while ((below = 2 * at + 1) < n) {
		if (below + 1 < n && before(base + (below + 1) * size, base + below * size))
			below++;
		if (!before(base + below * size, base + at * size))
			return;
		swap(base + at * size, base + below * size, size);
		at = below;
	}
}
