/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes of texts and numbers for tables in memory: eight bytes at a time, the same in every run.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

static inline uint64_t hash_text(uint64_t hash, const char *text, size_t len)
{
	uint64_t word;

	hash = hash_mix(hash, len);
	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = hash_mix(hash, word);
	}
	word = 0;
	/* a field that is not there has no text either, and memcpy takes no NULL */
	if (len)
		memcpy(&word, text, len);
	return hash_mix(hash, word);
}
