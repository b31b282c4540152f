/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table of files that were written, and of paths that are gone. */
#include "analysis/amp/unwritten.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"

enum { SLOTS = 4096, MAX_ENTRIES = 65536, MAX_CHAIN = 8 };

/*
 * What an entry is one of. The number is: of a file its inode with its path, as an inode is used again as
 * soon as it is free; of what is gone or has another name the path; a device.
 */
enum kind { A_FILE, GONE, RENAMED, A_DEVICE };

struct unwritten_entry {
	struct unwritten_entry *next; /* in its slot */
	uint64_t number;
	uint64_t last_ns; /* of writes; or when it was gone, or renamed, last */
	uint64_t path;    /* RENAMED: the new one */
	uint64_t inode;
	uint64_t device;
	uint64_t written, unplaced; /* of these, where is not known */
	uint64_t from, to;          /* the range of the others */
	uint64_t reached;
	void *owner;
	uint8_t kind;
};

static struct unwritten_entry *find(const struct unwritten *u, enum kind kind, uint64_t number)
{
	struct unwritten_entry *e = u->slots ? u->slots[hash_mix(kind, number) % SLOTS] : NULL;

	while (e && (e->number != number || e->kind != kind))
		e = e->next;
	return e;
}

static struct unwritten_entry *make(struct unwritten *u, enum kind kind, uint64_t number)
{
	struct unwritten_entry *e = find(u, kind, number), **slot;

	/* beyond that a file is not known, and counts as having reached its device */
	if (e || u->n == MAX_ENTRIES)
		return e;
	if (!u->slots)
		u->slots = calloc(SLOTS, sizeof(struct unwritten_entry *));
	e = u->slots ? pool_take(&u->pool, sizeof(*e)) : NULL;
	if (!e)
		return NULL;
	slot = &u->slots[hash_mix(kind, number) % SLOTS];
	*e = (struct unwritten_entry){
		.next = *slot, .number = number, .kind = (uint8_t)kind, .from = UINT64_MAX
	};
	*slot = e;
	u->n++;
	return e;
}

static uint64_t path_hash(const char *path, size_t len)
{
	return hash_text(1, path, len);
}

static struct unwritten_entry *file_of(struct unwritten *u, uint64_t inode, const char *path,
				       size_t len)
{
	const uint64_t hash = path_hash(path, len);
	struct unwritten_entry *e = inode ? make(u, A_FILE, hash_mix(hash, inode)) : NULL;

	if (e) {
		e->inode = inode;
		e->path = hash;
	}
	return e;
}

void unwritten_wrote(struct unwritten *u, const struct unwritten_write *w)
{
	struct unwritten_entry *e = w->bytes ? file_of(u, w->inode, w->path, w->len) : NULL;

	if (!e)
		return;
	e->written += w->bytes;
	e->device = w->device;
	if (w->offset < 0)
		e->unplaced += w->bytes;
	else if ((uint64_t)w->offset < e->from)
		e->from = (uint64_t)w->offset;
	if (w->offset >= 0 && (uint64_t)w->offset + w->bytes > e->to)
		e->to = (uint64_t)w->offset + w->bytes;
	if (w->ns < e->last_ns)
		return;
	e->last_ns = w->ns;
	e->owner = w->owner;
}

void unwritten_reached(struct unwritten *u, uint64_t inode, const char *path, size_t len,
		       uint64_t bytes)
{
	struct unwritten_entry *e = file_of(u, inode, path, len);

	if (e)
		e->reached += bytes;
	else if (!inode)
		u->unnamed += bytes;
}

void unwritten_gone(struct unwritten *u, const char *path, size_t len, uint64_t ns)
{
	struct unwritten_entry *e = len ? make(u, GONE, path_hash(path, len)) : NULL;

	if (e && ns > e->last_ns)
		e->last_ns = ns;
}

void unwritten_renamed(struct unwritten *u, const char *path, size_t len, const char *to,
		       size_t to_len, uint64_t ns)
{
	struct unwritten_entry *e = make(u, RENAMED, path_hash(path, len));

	/* the file that had the new name is gone */
	unwritten_gone(u, to, to_len, ns);
	if (!e || ns <= e->last_ns)
		return;
	e->last_ns = ns;
	e->path = path_hash(to, to_len);
}

static void join(struct unwritten_entry *to, const struct unwritten_entry *from)
{
	to->written += from->written;
	to->unplaced += from->unplaced;
	to->reached += from->reached;
	to->from = from->from < to->from ? from->from : to->from;
	to->to = from->to > to->to ? from->to : to->to;
	to->device = from->device ? from->device : to->device;
	to->inode = from->inode;
	if (from->last_ns < to->last_ns)
		return;
	to->last_ns = from->last_ns;
	to->owner = from->owner;
	to->path = from->path;
}

void unwritten_join(struct unwritten *u, const struct unwritten *other)
{
	u->unnamed += other->unnamed;
	for (unsigned i = 0; other->slots && i < SLOTS; i++)
		for (const struct unwritten_entry *e = other->slots[i]; e; e = e->next) {
			struct unwritten_entry *to = make(u, (enum kind)e->kind, e->number);

			if (to)
				join(to, e);
		}
}

/* A file system without a disk of its own may be in memory alone: it has one when anything reached one. */
static bool has_disk(const struct unwritten *disks, const struct unwritten_entry *file)
{
	return file->device >> 20 || find(disks, A_DEVICE, file->device);
}

static uint64_t reached_as(const struct unwritten *u, uint64_t inode, uint64_t path)
{
	const struct unwritten_entry *e = find(u, A_FILE, hash_mix(path, inode));

	return e ? e->reached : 0;
}

/* What it had under its name when it was written last, and under those that it got since. */
static uint64_t waiting(const struct unwritten *u, const struct unwritten_entry *file)
{
	uint64_t range = file->to > file->from ? file->to - file->from : 0;
	uint64_t most = range + file->unplaced, reached = 0, path = file->path;
	uint64_t ns = file->last_ns, no_name = path_hash("", 0);
	const struct unwritten_entry *gone, *next;

	most = file->written < most ? file->written : most;
	for (unsigned i = 0; i < MAX_CHAIN; i++) {
		reached += reached_as(u, file->inode, path);
		gone = find(u, GONE, path);
		if (gone && gone->last_ns > ns)
			return 0;
		next = find(u, RENAMED, path);
		if (!next || next->last_ns <= ns)
			break;
		path = next->path;
		ns = next->last_ns;
	}
	if (file->path != no_name)
		reached += reached_as(u, file->inode, no_name);
	return most > reached ? most - reached : 0;
}

void unwritten_move(struct unwritten *u, void *(*moved)(void *arg, void *owner), void *arg)
{
	for (unsigned i = 0; u->slots && i < SLOTS; i++)
		for (struct unwritten_entry *e = u->slots[i]; e; e = e->next)
			if (e->owner)
				e->owner = moved(arg, e->owner);
}

uint64_t unwritten_end(const struct unwritten *u, void (*add)(void *owner, uint64_t bytes))
{
	struct unwritten disks = { .n = 0 };
	uint64_t sum = 0, unnamed = u->unnamed;

	for (unsigned i = 0; u->slots && i < SLOTS; i++)
		for (const struct unwritten_entry *e = u->slots[i]; e; e = e->next)
			if (e->kind == A_FILE && e->written && e->reached)
				make(&disks, A_DEVICE, e->device);
	for (unsigned i = 0; u->slots && i < SLOTS; i++)
		for (const struct unwritten_entry *e = u->slots[i]; e; e = e->next) {
			uint64_t bytes = e->kind == A_FILE && e->written && has_disk(&disks, e) ?
						 waiting(u, e) :
						 0;
			uint64_t other = bytes < unnamed ? bytes : unnamed;

			/* what is not known of cannot be said to wait */
			bytes -= other;
			unnamed -= other;
			sum += bytes;
			if (bytes && add)
				add(e->owner, bytes);
		}
	unwritten_free(&disks);
	return sum;
}

void unwritten_free(struct unwritten *u)
{
	free(u->slots);
	pool_free(&u->pool);
	*u = (struct unwritten){ .n = 0 };
}
