/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file mappings of one address space as a sorted array. Knows what calls do
 * to them, not what records look like, and not whose they are (mapped.c).
 */
#include "resolve/mappings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/search.h"
#include "resolve/procfs_maps.h"

struct mappings {
	uint32_t refs;    /* processes that share the address space */
	bool unread;      /* since an exec: /proc may have more */
	bool unknown;     /* /proc could not be read: there may be more */
	uint64_t read_at; /* CLOCK_MONOTONIC ns; 0: never */
	uint64_t page_size;
	size_t n;
	size_t room;
	struct mapping *at;
};

struct range {
	uint64_t start;
	uint64_t end;
};

/* ---- the array ---- */

static bool make_room(struct mappings *maps, size_t n)
{
	size_t room = maps->room * 2 > n ? maps->room * 2 : n;
	struct mapping *at;

	if (n <= maps->room)
		return true;
	at = realloc(maps->at, room * sizeof(*at));
	if (!at)
		return false;
	maps->at = at;
	maps->room = room;
	return true;
}

static struct mappings *new_with_room(uint64_t page_size, size_t room)
{
	struct mappings *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return NULL;
	maps->refs = 1;
	maps->page_size = page_size ? page_size : (uint64_t)sysconf(_SC_PAGESIZE);
	maps->at = calloc(room, sizeof(*maps->at));
	maps->room = room;
	if (!maps->at) {
		free(maps);
		return NULL;
	}
	return maps;
}

struct mappings *mappings_new(uint64_t page_size)
{
	return new_with_room(page_size, 8);
}

struct mappings *mappings_copy(const struct mappings *from)
{
	struct mappings *maps = new_with_room(from->page_size, from->n + 8);

	if (!maps)
		return NULL;
	maps->unread = from->unread;
	maps->unknown = from->unknown;
	maps->read_at = from->read_at;
	maps->n = from->n;
	memcpy(maps->at, from->at, from->n * sizeof(*from->at));
	for (size_t i = 0; i < maps->n; i++)
		path_get(maps->at[i].path);
	return maps;
}

static void drop_all(struct mappings *maps)
{
	while (maps->n)
		path_put(maps->at[--maps->n].path);
}

struct mappings *mappings_get(struct mappings *maps)
{
	maps->refs++;
	return maps;
}

void mappings_free(struct mappings *maps)
{
	if (!maps || --maps->refs)
		return;
	drop_all(maps);
	free(maps->at);
	free(maps);
}

/* Puts copies of with in the place of [from, to); without memory only as many as there were. */
static void replace(struct mappings *maps, size_t from, size_t to, const struct mapping *with,
		    size_t n_with)
{
	if (!make_room(maps, maps->n - (to - from) + n_with))
		n_with = to - from;
	/* what stays in parts keeps its path through this */
	for (size_t i = 0; i < n_with; i++)
		path_get(with[i].path);
	for (size_t i = from; i < to; i++)
		path_put(maps->at[i].path);
	memmove(maps->at + from + n_with, maps->at + to, (maps->n - to) * sizeof(*maps->at));
	if (n_with)
		memcpy(maps->at + from, with, n_with * sizeof(*with));
	maps->n = maps->n - (to - from) + n_with;
}

static bool ends_until(const void *maps, uint64_t i, uint64_t addr)
{
	return ((const struct mappings *)maps)->at[i].end <= addr;
}

/* The first mapping that ends above addr; n when there is none. */
static size_t first_from(const struct mappings *maps, uint64_t addr)
{
	return search_first(maps, 0, maps->n, ends_until, addr);
}

static struct range whole_pages(const struct mappings *maps, uint64_t start, uint64_t end)
{
	uint64_t rest = maps->page_size - 1;
	struct range range = { .start = start & ~rest };

	if (end == start)
		range.end = range.start;
	else if (end < start || end > UINT64_MAX - rest)
		range.end = ~rest; /* the last page is nobody's */
	else
		range.end = (end + rest) & ~rest;
	return range;
}

/* The part of a mapping that lies in the range; they do overlap. */
static struct mapping part_of(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	struct mapping part = *mapping;

	if (part.start < start) {
		part.offset += start - part.start;
		part.start = start;
	}
	if (part.end > end)
		part.end = end;
	return part;
}

static void cut_out(struct mappings *maps, struct range hole)
{
	size_t from = first_from(maps, hole.start), to = from, n_keep = 0;
	struct mapping keep[2];

	while (to < maps->n && maps->at[to].start < hole.end)
		to++;
	if (from == to || hole.start >= hole.end)
		return;
	if (maps->at[from].start < hole.start)
		keep[n_keep++] = part_of(&maps->at[from], 0, hole.start);
	if (maps->at[to - 1].end > hole.end)
		keep[n_keep++] = part_of(&maps->at[to - 1], hole.end, UINT64_MAX);
	replace(maps, from, to, keep, n_keep);
}

void mappings_remove(struct mappings *maps, uint64_t start, uint64_t end)
{
	cut_out(maps, whole_pages(maps, start, end));
}

static bool same_path(const struct path *a, const struct path *b)
{
	if (a == b)
		return true;
	return a && b && a->flags == b->flags && a->raw_len == b->raw_len &&
	       !memcmp(a->raw, b->raw, a->raw_len);
}

/* Makes one of a mapping and the one after it, when it goes on there in the file, too. */
static void join_next(struct mappings *maps, size_t i)
{
	struct mapping *a = maps->at + i;
	const struct mapping *b = a + 1;

	if (i + 1 >= maps->n)
		return;
	if (a->end != b->start || a->offset + (a->end - a->start) != b->offset)
		return;
	if (a->ino != b->ino || a->dev != b->dev || a->deleted != b->deleted ||
	    a->shared != b->shared || a->as_of != b->as_of || !same_path(a->path, b->path))
		return;
	a->end = b->end;
	replace(maps, i + 1, i + 2, NULL, 0);
}

void mappings_add(struct mappings *maps, const struct mapping *add)
{
	struct range range = whole_pages(maps, add->start, add->end);
	struct mapping fresh = *add;
	size_t i;

	if (range.start >= range.end)
		return;
	fresh.offset -= fresh.start - range.start;
	fresh.start = range.start;
	fresh.end = range.end;
	path_get(fresh.path); /* it may be borrowed from what gives way */
	cut_out(maps, range);
	i = first_from(maps, range.start);
	replace(maps, i, i, &fresh, 1);
	path_put(fresh.path);
	join_next(maps, i);
	if (i > 0)
		join_next(maps, i - 1);
}

const struct mapping *mappings_find_old(const struct mappings *maps, uint64_t start, uint64_t end,
					uint64_t ts)
{
	struct range range = whole_pages(maps, start, end);

	if (range.start == range.end)
		return NULL;
	for (size_t i = first_from(maps, range.start); i < maps->n; i++) {
		if (maps->at[i].start >= range.end)
			break;
		if (maps->at[i].as_of <= ts)
			return &maps->at[i];
	}
	return NULL;
}

const struct mapping *mappings_find(const struct mappings *maps, uint64_t start, uint64_t end)
{
	return mappings_find_old(maps, start, end, UINT64_MAX);
}

/* ---- mremap ---- */

/* What lies in from, as it will lie at to; the last part grows. NULL without memory. */
static struct mappings *pieces(const struct mappings *maps, struct range from, struct range to,
			       uint64_t ts)
{
	struct mappings *moved = mappings_new(maps->page_size);
	uint64_t moved_end = to.start + (from.end - from.start);

	for (size_t i = first_from(maps, from.start); moved && i < maps->n; i++) {
		struct mapping piece = part_of(&maps->at[i], from.start, from.end);

		if (maps->at[i].start >= from.end)
			break;
		if (piece.as_of > ts)
			continue; /* came to the place of what is moved here */
		piece.start += to.start - from.start;
		piece.end += to.start - from.start;
		mappings_add(moved, &piece);
	}
	if (moved && moved->n && moved->at[moved->n - 1].end == moved_end)
		moved->at[moved->n - 1].end = to.end;
	return moved;
}

void mappings_move(struct mappings *maps, const struct mappings_move *move)
{
	struct range old = whole_pages(maps, move->from, move->from + move->from_len);
	struct range to = whole_pages(maps, move->to, move->to + move->to_len);
	struct range from = old;
	struct mappings *moved;
	const struct mapping *there;

	if (!move->from_len)
		from.end = from.start + maps->page_size;
	if (from.end - from.start > to.end - to.start)
		from.end = from.start + (to.end - to.start);
	moved = pieces(maps, from, to, move->ts);
	if (!move->keep_old)
		cut_out(maps, old);
	there = mappings_find(maps, to.start, to.end);
	/* /proc was read after the move: what it had there is what was moved */
	if (!there || there->as_of <= move->ts || (moved && moved->n))
		cut_out(maps, to);
	for (size_t i = 0; moved && i < moved->n; i++)
		mappings_add(maps, &moved->at[i]);
	mappings_free(moved);
}

/* ---- /proc ---- */

struct reading {
	struct mappings *maps;
	struct path *last; /* the parts of one file lie side by side */
};

static struct path *path_of(struct reading *reading, const char *text)
{
	size_t len = strlen(text);

	if (!len)
		return NULL;
	if (!reading->last || strcmp(reading->last->raw, text)) {
		path_put(reading->last);
		reading->last = path_new(text, len,
					 PATH_PROC | (text[0] == '/' ? PATH_FULL : PATH_REST));
	}
	return reading->last;
}

static void add_read(void *arg, const struct procfs_mapping *listed)
{
	struct reading *reading = arg;
	struct mapping mapping = {
		.start = listed->start,
		.end = listed->end,
		.offset = listed->offset,
		.ino = listed->ino,
		.as_of = reading->maps->read_at,
		.dev = listed->dev,
		.deleted = listed->deleted,
		.shared = listed->shared,
	};

	if (listed->scope == SCOPE_OUT)
		return;
	mapping.path = path_of(reading, listed->path);
	mappings_add(reading->maps, &mapping);
}

bool mappings_read(struct mappings *maps, const struct procfs *proc, uint32_t tgid)
{
	struct reading reading = { .maps = maps };
	bool ok;

	drop_all(maps);
	maps->unread = false;
	/* the time before: what is gone by then was not listed, even if it goes while we read */
	maps->read_at = mono_ns();
	ok = procfs_each_mapping(proc, tgid, add_read, &reading);
	path_put(reading.last);
	maps->unknown = !ok;
	if (!ok) {
		drop_all(maps);
		maps->read_at = 0;
	}
	return ok;
}

bool mappings_complete(const struct mappings *maps)
{
	return !maps->unknown && !maps->unread;
}

void mappings_set_unread(struct mappings *maps)
{
	maps->unread = true;
}

bool mappings_known_at(const struct mappings *maps, uint64_t ts)
{
	return maps->read_at <= ts;
}

/* What /proc lists goes below what the records did. */
bool mappings_read_rest(struct mappings *maps, const struct procfs *proc, uint32_t tgid)
{
	struct mappings *all = maps->unread ? mappings_new(maps->page_size) : NULL;
	struct mappings records = *maps;

	if (!all)
		return false;
	mappings_read(all, proc, tgid);
	for (size_t i = 0; i < records.n; i++)
		mappings_add(all, &records.at[i]);
	*maps = *all;
	maps->refs = records.refs;
	*all = records;
	all->refs = 1;
	mappings_free(all);
	return true;
}
