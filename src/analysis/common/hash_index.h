/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds items of a list by their hash. Keeps no item: which one has a key is for the caller to compare. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct hash_slot {
	uint32_t hash;
	uint32_t item; /* 1 + its number; 0: free */
};

/* All zero is empty. */
struct hash_index {
	struct hash_slot *slots;
	uint64_t n, n_slots; /* a power of two */
};

/* Whether the item has the key; owner: of the list. */
typedef bool hash_is(const void *owner, uint32_t item, const void *key);

static inline struct hash_slot *hash_index_free_slot(const struct hash_index *index, uint32_t hash)
{
	uint64_t at = hash & (index->n_slots - 1);

	while (index->slots[at].item)
		at = (at + 1) & (index->n_slots - 1);
	return &index->slots[at];
}

/* Room for one more item. False without memory. */
static inline bool hash_index_room(struct hash_index *index)
{
	struct hash_index more = { .n = index->n,
				   .n_slots = index->n_slots ? index->n_slots * 2 : 256 };

	/* half full at most, so that a search always comes to a free slot */
	if (index->n * 2 < index->n_slots)
		return true;
	more.slots = calloc(more.n_slots, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (uint64_t i = 0; i < index->n_slots; i++)
		if (index->slots[i].item)
			*hash_index_free_slot(&more, index->slots[i].hash) = index->slots[i];
	free(index->slots);
	*index = more;
	return true;
}

/* Number of the item; -1: none has the key. */
static inline int64_t hash_index_find(const struct hash_index *index, uint64_t hash, hash_is *is,
				      const void *owner, const void *key)
{
	uint64_t mask = index->n_slots - 1;

	for (uint64_t at = (uint32_t)hash & mask; index->n_slots && index->slots[at].item;
	     at = (at + 1) & mask)
		if (index->slots[at].hash == (uint32_t)hash &&
		    is(owner, index->slots[at].item - 1, key))
			return index->slots[at].item - 1;
	return -1;
}

/* After hash_index_room() */
static inline void hash_index_add(struct hash_index *index, uint64_t hash, uint64_t item)
{
	*hash_index_free_slot(index, (uint32_t)hash) = (struct hash_slot){ (uint32_t)hash,
									   (uint32_t)item + 1 };
	index->n++;
}

static inline void hash_index_close(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ .n = 0 };
}
