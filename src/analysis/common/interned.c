/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table of copies; the copies are the pool's. */
#include "analysis/common/interned.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"

enum { FIRST_SLOTS = 64 };

static const char **slot_of(const struct interned *in, const char *text, size_t len)
{
	uint64_t i = hash_text(0, text, len) & (in->n_slots - 1);

	while (in->slots[i] && (strncmp(in->slots[i], text, len) || in->slots[i][len]))
		i = (i + 1) & (in->n_slots - 1);
	return &in->slots[i];
}

static bool grow(struct interned *in)
{
	struct interned more = { .n = in->n,
				 .n_slots = in->n_slots ? in->n_slots * 2 : FIRST_SLOTS };

	more.slots = calloc(more.n_slots, sizeof(*more.slots));
	for (uint64_t i = 0; more.slots && i < in->n_slots; i++)
		if (in->slots[i])
			*slot_of(&more, in->slots[i], strlen(in->slots[i])) = in->slots[i];
	if (!more.slots)
		return false;
	free(in->slots);
	*in = more;
	return true;
}

const char *interned_text(struct interned *in, struct pool *pool, const char *text, size_t len)
{
	const char **slot;

	/* before the search, which needs a table, and a free slot in it */
	if (in->n * 2 >= in->n_slots && !grow(in))
		return NULL;
	slot = slot_of(in, text, len);
	if (!*slot) {
		*slot = pool_text(pool, text, len);
		in->n += *slot != NULL;
	}
	return *slot;
}

void interned_free(struct interned *in)
{
	free(in->slots);
	*in = (struct interned){ .n = 0 };
}
