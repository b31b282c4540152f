/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "resolve/names.h"

#include <stdlib.h>

/* A set-associative table: an id has 8 places, the longest unused of them goes first. */
#define WAYS 8

struct entry {
	uint64_t id;
	struct path *path;
	uint64_t used;
	uint32_t dev; /* of a file; 0 for texts */
};

struct names {
	struct entry *entries;
	uint64_t mask; /* sets - 1 */
	uint64_t clock;
	struct names_totals totals;
};

struct names *names_open(unsigned capacity)
{
	struct names *names = calloc(1, sizeof(*names));
	uint64_t sets = 1;

	if (!names)
		return NULL;
	while (sets * WAYS < capacity)
		sets *= 2;
	names->mask = sets - 1;
	names->entries = calloc(sets * WAYS, sizeof(*names->entries));
	if (!names->entries) {
		free(names);
		return NULL;
	}
	return names;
}

void names_close(struct names *names)
{
	if (!names)
		return;
	for (uint64_t i = 0; i < (names->mask + 1) * WAYS; i++)
		path_put(names->entries[i].path);
	free(names->entries);
	free(names);
}

static struct entry *set_of(struct names *names, uint64_t id, uint32_t dev)
{
	/* file systems have the same numbers: the device counts in every bit */
	uint64_t hash = (id + dev * 0xd6e8feb86659fd93ULL) * 0x9e3779b97f4a7c15ULL;

	return names->entries + (hash >> 32 & names->mask) * WAYS;
}

static struct entry *look_up(struct names *names, uint64_t id, uint32_t dev)
{
	struct entry *set = set_of(names, id, dev);

	for (int i = 0; i < WAYS; i++)
		if (set[i].id == id && set[i].dev == dev && set[i].path)
			return &set[i];
	return NULL;
}

static void put(struct names *names, uint64_t id, uint32_t dev, struct path *path)
{
	struct entry *set = set_of(names, id, dev), *place = look_up(names, id, dev);

	for (int i = 0; i < WAYS && !place; i++)
		if (!set[i].path)
			place = &set[i];
	if (!place) {
		place = set;
		for (int i = 1; i < WAYS; i++)
			if (set[i].used < place->used)
				place = &set[i];
		names->totals.evicted++;
	}
	path_put(place->path);
	*place = (struct entry){ .id = id, .path = path, .used = ++names->clock, .dev = dev };
	names->totals.added++;
}

void names_add(struct names *names, uint64_t id, struct path *path)
{
	put(names, id, 0, path);
}

struct path *names_find(struct names *names, uint64_t id)
{
	struct entry *entry = look_up(names, id, 0);

	if (!entry) {
		names->totals.unknown++;
		return NULL;
	}
	entry->used = ++names->clock;
	return entry->path;
}

struct path *names_take(struct names *names, uint64_t id)
{
	struct entry *entry = look_up(names, id, 0);
	struct path *path;

	if (!entry) {
		names->totals.unknown++;
		return NULL;
	}
	path = entry->path;
	*entry = (struct entry){ 0 };
	return path;
}

void names_learn(struct names *names, uint64_t ino, uint32_t dev, struct path *path)
{
	struct entry *entry = look_up(names, ino, dev);

	/* nearly always: the same open file as before */
	if (entry && entry->path == path)
		entry->used = ++names->clock;
	else
		put(names, ino, dev, path_get(path));
}

bool names_offer(struct names *names, uint64_t ino, uint32_t dev, struct path *path)
{
	struct entry *set = set_of(names, ino, dev), *place = NULL;

	for (int i = 0; i < WAYS; i++) {
		if (!set[i].path)
			place = place ? place : &set[i];
		else if (set[i].id == ino && set[i].dev == dev)
			return false;
	}
	if (!place)
		return false;
	/* the first to go: whatever was used is worth more */
	*place = (struct entry){ .id = ino, .path = path_get(path), .dev = dev };
	names->totals.added++;
	return true;
}

struct path *names_of_file(struct names *names, uint64_t ino, uint32_t dev)
{
	struct entry *entry = look_up(names, ino, dev);

	if (!entry)
		return NULL;
	entry->used = ++names->clock;
	return entry->path;
}

const struct names_totals *names_totals(const struct names *names)
{
	return &names->totals;
}
