/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns a table of fixed size. A file has one of a few places by the hash of its name; when
 * others have them all, the one with the fewest bytes there leaves, and its bytes stay as
 * what the sums of its successor may be wrong by. So files with many bytes are never missing.
 */
#include "events/busiest.h"

#include <stdlib.h>
#include <string.h>

enum { SETS = 1024, PLACES = 4 };

struct place {
	uint64_t hash;
	struct path *path;
	uint64_t read, written, more;
};

struct busiest {
	struct place sets[SETS][PLACES];
};

struct busiest *busiest_open(void)
{
	return calloc(1, sizeof(struct busiest));
}

void busiest_close(struct busiest *b)
{
	for (unsigned i = 0; b && i < SETS * PLACES; i++)
		path_put(b->sets[i / PLACES][i % PLACES].path);
	free(b);
}

static uint64_t hash_of(const struct path *path, uint32_t mntns)
{
	uint64_t hash = mntns, word;
	size_t i = 0;

	for (; i + 8 <= path->csv_len; i += 8) {
		memcpy(&word, path->csv + i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	word = path->csv_len;
	for (; i < path->csv_len; i++)
		word = word << 8 | (unsigned char)path->csv[i];
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

static uint64_t bytes_of(const struct place *place)
{
	return place->read + place->written + place->more;
}

static struct place *place_of(struct busiest *b, struct path *path, uint64_t hash)
{
	struct place *set = b->sets[hash % SETS], *least = set;

	for (unsigned i = 0; i < PLACES; i++) {
		if (set[i].path && set[i].hash == hash)
			return &set[i];
		if (bytes_of(&set[i]) < bytes_of(least))
			least = &set[i];
	}
	path_put(least->path);
	*least = (struct place){
		.hash = hash,
		.path = path_get(path),
		.more = bytes_of(least),
	};
	return least;
}

void busiest_add(struct busiest *b, struct path *path, uint32_t mntns, bool write, uint64_t bytes)
{
	struct place *place = place_of(b, path, hash_of(path, mntns));

	*(write ? &place->written : &place->read) += bytes;
}

unsigned busiest_first(const struct busiest *b, struct busy_file *files, unsigned max)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SETS * PLACES; i++) {
		const struct place *place = &b->sets[i / PLACES][i % PLACES];
		uint64_t bytes = place->read + place->written;
		unsigned at = n;

		while (at && files[at - 1].read + files[at - 1].written < bytes)
			at--;
		if (!bytes || at == max)
			continue;
		n += n < max;
		memmove(&files[at + 1], &files[at], (n - at - 1) * sizeof(*files));
		files[at] = (struct busy_file){ place->path, place->read, place->written,
						place->more };
	}
	return n;
}
