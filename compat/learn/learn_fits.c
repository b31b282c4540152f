/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of learning a layout do alike: objects are read, and offsets judged by them. */
#include "compat/learn/learn_fits.h"

#include <string.h>

bool learn_read(struct learn *learn, struct learn_object *object, uint64_t at, size_t size)
{
	object->at = at;
	object->size = peek_read(learn->peek, at, object->bytes,
				 size < sizeof(object->bytes) ? size : sizeof(object->bytes));
	return object->size >= 8;
}

uint64_t learn_word(const struct learn_object *object, size_t offset)
{
	uint64_t word = 0;

	if (object->size >= 8 && offset <= object->size - 8)
		memcpy(&word, object->bytes + offset, 8);
	return word;
}

uint64_t learn_pointer(struct learn *learn, uint64_t at)
{
	uint64_t word = 0;

	return peek_read(learn->peek, at, &word, 8) == 8 ? word : 0;
}

bool learn_string_is(struct learn *learn, uint64_t at, const char *text)
{
	char found[256];
	size_t size = strlen(text) + 1;

	return size <= sizeof(found) && (int64_t)at < 0 &&
	       peek_read(learn->peek, at, found, size) == size && !memcmp(found, text, size);
}

static bool is_among(uint32_t offset, const uint32_t *offsets, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (offsets[i] == offset)
			return true;
	return false;
}

bool learn_may_be(const struct learn *learn, enum layout_member_id id, uint32_t offset)
{
	const struct learn_guess *guess = &learn->guesses[id];

	return !guess->objects || is_among(offset, guess->offsets, guess->n);
}

uint64_t learn_lead(const struct learn *learn, enum layout_member_id id,
		    const struct learn_object *object, uint32_t offset)
{
	uint64_t pointer = learn_word(object, offset);

	return pointer && peek_is_object(learn->peek, pointer) && learn_may_be(learn, id, offset) ?
		       pointer :
		       0;
}

void learn_fits(struct learn *learn, enum layout_member_id id, const uint32_t *offsets, unsigned n)
{
	struct learn_guess *guess = &learn->guesses[id];
	unsigned kept = 0;

	if (guess->objects == 0 && n <= LEARN_MAX_FITS) {
		memcpy(guess->offsets, offsets, n * sizeof(*offsets));
		kept = n;
	}
	for (unsigned i = 0; guess->objects > 0 && i < guess->n; i++)
		if (is_among(guess->offsets[i], offsets, n))
			guess->offsets[kept++] = guess->offsets[i];
	guess->n = kept;
	guess->objects++;
	if (!kept)
		guess->failed = true;
}

void learn_value(struct learn *learn, enum layout_member_id id, const struct learn_object *object,
		 size_t from, size_t to, const void *value, size_t size)
{
	uint32_t offsets[LEARN_MAX_FITS];
	/* integers and pointers lie at multiples of their size; addresses of IPv6 at those of 4 */
	size_t step = size > 8 ? 4 : size;
	unsigned n = 0;

	for (size_t at = from; at < to && at + size <= object->size && n < LEARN_MAX_FITS;
	     at += step)
		if (!memcmp(object->bytes + at, value, size))
			offsets[n++] = at;
	learn_fits(learn, id, offsets, n);
}

int32_t learn_offset(const struct learn *learn, enum layout_member_id id)
{
	const struct learn_guess *guess = &learn->guesses[id];

	return guess->n == 1 && !guess->failed ? (int32_t)guess->offsets[0] : -1;
}

uint64_t learn_follow(struct learn *learn, enum layout_member_id id, uint64_t at)
{
	int32_t offset = learn_offset(learn, id);

	return offset < 0 || !at ? 0 : learn_pointer(learn, at + offset);
}
