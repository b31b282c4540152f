/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table and which entry goes. Whose pages a request carries, it does not know. */
#include "resolve/writers.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 4 };

struct entry {
	uint64_t ino; /* 0: free */
	uint64_t used;
	uint32_t dev;
	uint32_t n;                     /* of pids */
	uint32_t pids[WRITERS_COUNTED]; /* the last one first */
	char comm[16];
	bool written;
};

struct writers {
	struct entry *entries;
	struct entry *last; /* noted last: mostly the next one, too */
	uint32_t mask;      /* sets - 1 */
	uint64_t clock;
};

struct writers *writers_open(unsigned files)
{
	struct writers *writers = calloc(1, sizeof(*writers));
	uint32_t sets = 1;

	if (!writers)
		return NULL;
	while (sets * WAYS < files)
		sets *= 2;
	writers->mask = sets - 1;
	writers->entries = calloc((size_t)sets * WAYS, sizeof(*writers->entries));
	if (!writers->entries) {
		free(writers);
		return NULL;
	}
	writers->last = writers->entries;
	return writers;
}

void writers_close(struct writers *writers)
{
	if (!writers)
		return;
	free(writers->entries);
	free(writers);
}

static struct entry *set_of(const struct writers *writers, uint64_t ino, uint32_t dev)
{
	uint64_t hash = (ino + dev * 0xd6e8feb86659fd93ULL) * 0x9e3779b97f4a7c15ULL;

	return writers->entries + (size_t)(hash >> 32 & writers->mask) * WAYS;
}

static struct entry *look_up(const struct writers *writers, uint64_t ino, uint32_t dev)
{
	struct entry *set = set_of(writers, ino, dev);

	for (int i = 0; i < WAYS; i++)
		if (set[i].ino == ino && set[i].dev == dev)
			return &set[i];
	return NULL;
}

static struct entry *make(struct writers *writers, uint64_t ino, uint32_t dev)
{
	struct entry *set = set_of(writers, ino, dev), *oldest = set;

	for (int i = 1; i < WAYS; i++)
		if (set[i].used < oldest->used)
			oldest = &set[i];
	*oldest = (struct entry){ .ino = ino, .dev = dev };
	return oldest;
}

/* To the front; another one behind it. */
static void put_first(struct entry *entry, uint32_t pid)
{
	uint32_t at = 0;

	if (entry->written)
		entry->n = 0;
	entry->written = false;
	while (at < entry->n && entry->pids[at] != pid)
		at++;
	if (at == entry->n && entry->n < WRITERS_COUNTED)
		entry->n++;
	if (at == WRITERS_COUNTED)
		at--;
	memmove(entry->pids + 1, entry->pids, at * sizeof(entry->pids[0]));
	entry->pids[0] = pid;
}

void writers_note(struct writers *writers, uint64_t ino, uint32_t dev, uint32_t pid,
		  const char comm[16])
{
	struct entry *entry = writers->last;

	if (!ino)
		return;
	if (entry->ino != ino || entry->dev != dev)
		entry = look_up(writers, ino, dev);
	if (!entry)
		entry = make(writers, ino, dev);
	if (entry->written || !entry->n || entry->pids[0] != pid)
		put_first(entry, pid);
	memcpy(entry->comm, comm, sizeof(entry->comm));
	entry->used = ++writers->clock;
	writers->last = entry;
}

bool writers_find(const struct writers *writers, uint64_t ino, uint32_t dev, struct writer *writer)
{
	const struct entry *entry = ino ? look_up(writers, ino, dev) : NULL;

	if (!entry)
		return false;
	writer->pid = entry->pids[0];
	writer->count = entry->n;
	memcpy(writer->comm, entry->comm, sizeof(writer->comm));
	return true;
}

void writers_written(struct writers *writers, uint64_t ino, uint32_t dev)
{
	struct entry *entry = ino ? look_up(writers, ino, dev) : NULL;

	if (entry)
		entry->written = true;
}
