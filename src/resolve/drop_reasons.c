/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the names of this boot. A number that has none stays a number. */
#include "resolve/drop_reasons.h"

#include <stdlib.h>
#include <string.h>

#include "compat/host/tracefs.h"

#define EVENT "skb:kfree_skb"
#define MAX_REASONS 512 /* 128 in 6.18 */
#define N_PLACES 1024   /* a kernel frees packets in some hundred places */

struct place {
	uint64_t address;
	char text[104];
};

struct drops {
	const struct host *host;
	uint32_t first; /* the lowest reason with a word: lower ones are no drops */
	char reasons[MAX_REASONS][48];
	unsigned n_places;
	struct place places[N_PLACES];
};

static void keep_reason(void *arg, uint64_t value, const char *word)
{
	struct drops *drops = arg;

	if (value >= MAX_REASONS || strlen(word) >= sizeof(drops->reasons[0]))
		return;
	strcpy(drops->reasons[value], word);
	if (value < drops->first)
		drops->first = (uint32_t)value;
}

struct drops *drops_open(const struct host *host)
{
	struct drops *drops = calloc(1, sizeof(*drops));

	if (!drops)
		return NULL;
	drops->host = host;
	drops->first = MAX_REASONS;
	if (host_tp_words(host, EVENT, "reason", keep_reason, drops) <= 0)
		drops->first = 0;
	return drops;
}

void drops_close(struct drops *drops)
{
	free(drops);
}

const char *drops_reason(const struct drops *drops, uint32_t reason)
{
	return reason < MAX_REASONS ? drops->reasons[reason] : "";
}

bool drops_is_drop(const struct drops *drops, uint32_t reason)
{
	return reason >= drops->first;
}

/* Is the table full, everything is looked up again: a loaded module may have another's addresses. */
static const char *place_of(struct drops *drops, uint64_t address)
{
	struct place *p;
	uint64_t slot = address * 0x9e3779b97f4a7c15ull >> 54;

	if (!address)
		return "";
	for (p = &drops->places[slot]; p->address && p->address != address;
	     p = &drops->places[slot])
		slot = (slot + 1) % N_PLACES;
	if (p->address)
		return p->text;
	if (drops->n_places == N_PLACES / 2) {
		memset(drops->places, 0, sizeof(drops->places));
		drops->n_places = 0;
	}
	drops->n_places++;
	p->address = address;
	if (!host_place(drops->host, address, p->text, sizeof(p->text)))
		p->text[0] = '\0';
	return p->text;
}

const char *drops_place(struct drops *drops, uint64_t address, uint64_t caller)
{
	static const char frees[] = "kfree_skb+";
	const char *place = place_of(drops, address);

	return caller && !strncmp(place, frees, sizeof(frees) - 1) ? place_of(drops, caller) :
								     place;
}
