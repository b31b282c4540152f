/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of files while they are followed; files_followed.c reads them, too. */
#pragma once

#include "analysis/common/hash.h"
#include "analysis/common/history.h"
#include "analysis/common/interned.h"
#include "analysis/files/files_follow.h"

/* From then on a path, an inode or an open file description is this file's. */
struct binding {
	struct history_key key;
	uint32_t file; /* 0: nobody's */
};

/* A name in the order in which a file had it. */
struct name {
	struct name *next;
	const char *text;
	uint64_t since_ns; /* 0: from the beginning */
};

struct followed {
	uint32_t parent; /* the file that it is a part of; of the whole one its own number */
	uint32_t mntns;
	struct name *first, **end;
	const char *last,
		*before; /* names; before: NULL unless it came to the last one from there */
	uint64_t last_ns;
	const char *shown; /* its last name, made different where another one has it */
	uint64_t n_names;
};

/* Whose a path is at the moment. */
struct place {
	uint64_t hash;
	uint32_t file; /* 0: nobody's */
	bool left;     /* what was there was moved away */
	bool removed;
	bool created;  /* by the call that made a new file there */
	unsigned gone; /* files with that last name that are not there any more */
	uint64_t inode_key;
};

struct files_follow {
	struct history changes; /* the first member: of history_read() */
	struct interned texts;
	struct history paths, inodes, descriptions; /* of bindings */
	struct followed *files;                     /* from number 1 on */
	uint64_t n_files, max_files;
	struct place *places; /* by hash, a power of two */
	uint64_t n_places, n_slots;
	bool only_renames; /* the first reading, which finds the names that count */
	bool no_memory;
};

/* Keys of three kinds; the number at the start keeps them apart. 0 means no key, so the lowest bit is always set. */
static inline uint64_t path_key(uint32_t mntns, const char *path, size_t len)
{
	return hash_text(hash_mix(1, mntns), path, len) | 1;
}

static inline uint64_t inode_key(uint32_t device, uint64_t inode)
{
	return inode ? hash_mix(hash_mix(2, device), inode) | 1 : 0;
}

static inline uint64_t description_key(bool known, uint64_t ofd)
{
	return known ? hash_mix(3, ofd) | 1 : 0;
}

/* Its place, or the free one where it would be: half of them are free at least. */
static inline struct place *slot_of(const struct files_follow *f, uint64_t hash)
{
	uint64_t at = hash & (f->n_slots - 1);

	while (f->places[at].hash && f->places[at].hash != hash)
		at = (at + 1) & (f->n_slots - 1);
	return &f->places[at];
}

/* Parts are joined by number, as bindings to a part stay valid then. */
static inline uint32_t whole_of(const struct files_follow *f, uint32_t file)
{
	while (f->files[file].parent != file)
		file = f->files[file].parent;
	return file;
}
