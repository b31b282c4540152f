/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists that double when they are full. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Room for n items of that size in a list; its pointer is at list, how many it has room for in
 * *max, at least least. New items are not zeroed. False without memory: the list is as it was.
 */
static inline bool grow(void *list, uint64_t *max, uint64_t n, uint64_t least, size_t size)
{
	uint64_t room = *max ? *max : least;
	void *items;

	if (n <= *max)
		return true;
	while (room < n)
		room *= 2;
	/* as bytes: the pointer is of another type, which may not be read as one to void */
	memcpy(&items, list, sizeof(items));
	items = realloc(items, room * size);
	if (!items)
		return false;
	memcpy(list, &items, sizeof(items));
	*max = room;
	return true;
}
