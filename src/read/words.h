/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that are one of a list, as operations are, by their place in it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { WORDS_MAX = 200, WORDS_SLOTS = 512 };

struct words {
	const char *const *list; /* ended by NULL; NULL: the text is one of no list */
	uint8_t n;
	uint8_t slot[WORDS_SLOTS]; /* place + 1; 0: free */
};

/* Of a list at most WORDS_MAX long, which stays the caller's. */
void words_make(struct words *words, const char *const *list);

/* The place of a text in the list, or how many the list has when it is none of them. */
unsigned words_find(const struct words *words, const char *text, size_t len);
