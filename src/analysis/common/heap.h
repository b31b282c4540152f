/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list kept as a heap: what comes first by its order is its first element. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool heap_before_fn(const void *a, const void *b);

/* The last of n elements, of so many bytes each, finds its place. */
void heap_rise(void *list, uint64_t n, size_t size, heap_before_fn *before);
/* The first one does, which is another one than before. */
void heap_sink(void *list, uint64_t n, size_t size, heap_before_fn *before);
