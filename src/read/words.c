/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the slots of a list. Which words there are, the lists of a stream say. */
#include "read/words.h"

#include <string.h>

/* Words differ in length, or at either end, or in their middle. */
static unsigned slot_of(const char *text, size_t len)
{
	uint32_t mix = (uint32_t)len;

	if (len)
		mix += (uint32_t)(uint8_t)text[0] << 6 ^ (uint32_t)(uint8_t)text[len / 2] << 13 ^
		       (uint32_t)(uint8_t)text[len - 1] << 20;
	return mix * 2654435769u >> 23;
}

void words_make(struct words *words, const char *const *list)
{
	memset(words, 0, sizeof(*words));
	words->list = list;
	/* fewer words than slots: the search always comes to a free one */
	for (; list && list[words->n] && words->n < WORDS_MAX; words->n++) {
		unsigned at = slot_of(list[words->n], strlen(list[words->n]));

		while (words->slot[at])
			at = (at + 1) % WORDS_SLOTS;
		words->slot[at] = words->n + 1;
	}
}

unsigned words_find(const struct words *words, const char *text, size_t len)
{
	for (unsigned at = slot_of(text, len); words->slot[at]; at = (at + 1) % WORDS_SLOTS) {
		unsigned place = words->slot[at] - 1u;
		const char *word = words->list[place];

		if (!strncmp(word, text, len) && !word[len])
			return place;
	}
	return words->n;
}
