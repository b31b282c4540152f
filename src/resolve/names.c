/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the copies of the texts, and which of them goes first. */
#include "resolve/names.h"

#include <stdlib.h>

#define LEAST 8 /* entries */
#define NONE 0  /* entries[0] is the list: its newer is the oldest entry, its older the newest */

struct entry {
	uint64_t id;
	struct path *path;
	uint32_t dev;  /* of a file; 0 for texts */
	uint32_t next; /* in the chain of its hash, or among those that are free */
	uint32_t newer, older;
};

struct names {
	struct entry *entries;
	uint32_t *chains; /* first entry of each hash */
	uint32_t mask;    /* chains - 1 */
	uint32_t free;
	struct names_totals totals;
};

struct names *names_open(unsigned capacity)
{
	struct names *names = calloc(1, sizeof(*names));
	uint32_t n = LEAST;

	if (!names)
		return NULL;
	while (n < capacity)
		n *= 2;
	names->mask = n - 1;
	names->chains = calloc(n, sizeof(*names->chains));
	names->entries = calloc(n + 1, sizeof(*names->entries));
	if (!names->entries || !names->chains) {
		names_close(names);
		return NULL;
	}
	names->free = 1;
	for (uint32_t i = 1; i < n; i++)
		names->entries[i].next = i + 1;
	return names;
}

void names_close(struct names *names)
{
	if (!names)
		return;
	for (uint32_t i = 1; names->entries && i <= names->mask + 1; i++)
		path_put(names->entries[i].path);
	free(names->entries);
	free(names->chains);
	free(names);
}

static uint32_t *chain_of(struct names *names, uint64_t id, uint32_t dev)
{
	/* file systems have the same numbers: the device counts in every bit */
	uint64_t hash = (id + dev * 0xd6e8feb86659fd93ULL) * 0x9e3779b97f4a7c15ULL;

	return &names->chains[hash >> 32 & names->mask];
}

static uint32_t look_up(struct names *names, uint64_t id, uint32_t dev)
{
	uint32_t i = *chain_of(names, id, dev);

	while (i && (names->entries[i].id != id || names->entries[i].dev != dev))
		i = names->entries[i].next;
	return i;
}

/* ---- by last use ---- */

static void list_remove(struct names *names, uint32_t i)
{
	struct entry *all = names->entries;

	all[all[i].newer].older = all[i].older;
	all[all[i].older].newer = all[i].newer;
}

/* Behind an entry, or, with NONE, as the oldest of all. */
static void list_add(struct names *names, uint32_t i, uint32_t behind)
{
	struct entry *all = names->entries;

	all[i].older = behind;
	all[i].newer = all[behind].newer;
	all[all[i].newer].older = i;
	all[behind].newer = i;
}

static void list_add_newest(struct names *names, uint32_t i)
{
	list_add(names, i, names->entries[NONE].older);
}

static void use(struct names *names, uint32_t i)
{
	if (names->entries[NONE].older == i)
		return;
	list_remove(names, i);
	list_add_newest(names, i);
}

/* ---- entries ---- */

/* Out of the table, its path given to the caller. */
static struct path *release(struct names *names, uint32_t i)
{
	struct entry *entry = &names->entries[i];
	uint32_t *at = chain_of(names, entry->id, entry->dev);
	struct path *path = entry->path;

	while (*at != i)
		at = &names->entries[*at].next;
	*at = entry->next;
	list_remove(names, i);
	*entry = (struct entry){ .next = names->free };
	names->free = i;
	return path;
}

/* A new entry, in its chain, in no list yet; there is a free one. */
static uint32_t make(struct names *names, uint64_t id, uint32_t dev, struct path *path)
{
	uint32_t i = names->free, *chain = chain_of(names, id, dev);
	struct entry *entry = &names->entries[i];

	names->free = entry->next;
	*entry = (struct entry){ .id = id, .path = path, .dev = dev, .next = *chain };
	*chain = i;
	names->totals.added++;
	return i;
}

static void put(struct names *names, uint64_t id, uint32_t dev, struct path *path)
{
	uint32_t i = look_up(names, id, dev);

	if (i) {
		path_put(names->entries[i].path);
		names->entries[i].path = path;
		names->totals.added++;
		use(names, i);
		return;
	}
	if (!names->free) {
		path_put(release(names, names->entries[NONE].newer));
		names->totals.evicted++;
	}
	list_add_newest(names, make(names, id, dev, path));
}

void names_add(struct names *names, uint64_t id, struct path *path)
{
	put(names, id, 0, path);
}

struct path *names_find(struct names *names, uint64_t id)
{
	uint32_t i = look_up(names, id, 0);

	if (!i) {
		names->totals.unknown++;
		return NULL;
	}
	use(names, i);
	return names->entries[i].path;
}

struct path *names_take(struct names *names, uint64_t id)
{
	uint32_t i = look_up(names, id, 0);

	if (!i) {
		names->totals.unknown++;
		return NULL;
	}
	return release(names, i);
}

void names_learn(struct names *names, uint64_t ino, uint32_t dev, struct path *path)
{
	uint32_t i = look_up(names, ino, dev);

	/* nearly always: the same open file as before */
	if (i && names->entries[i].path == path)
		use(names, i);
	else
		put(names, ino, dev, path_get(path));
}

bool names_offer(struct names *names, uint64_t ino, uint32_t dev, struct path *path)
{
	if (!names->free || look_up(names, ino, dev))
		return false;
	/* the first to go: whatever was used is worth more */
	list_add(names, make(names, ino, dev, path_get(path)), NONE);
	return true;
}

struct path *names_of_file(struct names *names, uint64_t ino, uint32_t dev)
{
	uint32_t i = look_up(names, ino, dev);

	if (!i)
		return NULL;
	use(names, i);
	return names->entries[i].path;
}

const struct names_totals *names_totals(const struct names *names)
{
	return &names->totals;
}
