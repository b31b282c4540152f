/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what renames, removals and creations mean for whose name a path is. */
#include "analysis/files/files_follow_private.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "base/log.h"
#include "row/effects.h"
#include "row/records.h"
#include "row/row_words.h"

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(OPERATION, "operation", TEXT, .words = fs_operations) \
	COLUMN(FILENAME, "filename", PATH) \
	COLUMN(INODE, "inode", UINT) \
	COLUMN(FLAGS, "flags", TEXT) \
	COLUMN(LATENCY, "latency_ns", UINT) \
	COLUMN(RESULT, "return_value", INT) \
	COLUMN(DEVICE, "device", DEV) \
	COLUMN(MNTNS, "mntns", UINT) \
	COLUMN(OFD, "ofd", UINT) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, N_COLUMNS, COLUMNS);

static const struct read_query query = { STREAM_fs, columns, N_COLUMNS };

/* A row that counts, at the end of its call. */
struct change {
	struct history_key key;      /* id 0: all are in the order of time */
	const char *path, *to;       /* to: RENAME */
	uint64_t inode, description; /* key of an open file description; 0: not known */
	uint32_t device, mntns;
	uint16_t op;
	bool exchange, creates;
};

/* ---- rows ---- */

static bool counts(const struct files_follow *f, const struct field *row);

static void add_change(struct files_follow *f, const struct field *row, const char *path,
		       size_t len, const char *to, size_t to_len)
{
	struct change *c = history_add(&f->changes, sizeof(*c), 0,
				       row[MONO].u + (row[LATENCY].known ? row[LATENCY].u : 0));

	if (!c)
		return;
	c->op = (uint16_t)row[OPERATION].u;
	c->path = interned_text(&f->texts, &f->changes.pool, path, len);
	c->to = to ? interned_text(&f->texts, &f->changes.pool, to, to_len) : NULL;
	c->inode = row[INODE].u;
	c->device = (uint32_t)row[DEVICE].u;
	c->mntns = (uint32_t)row[MNTNS].u;
	c->description = description_key(row[OFD].known, row[OFD].u);
	c->creates = field_has(&row[FLAGS], "O_CREAT");
	c->exchange = to && field_has(&row[FLAGS], "RENAME_EXCHANGE");
	f->no_memory = f->no_memory || !c->path || (to && !c->to);
}

/* What failed changed nothing, and names that are not absolute are no files. The first reading takes renames alone. */
static void take_row(void *arg, const struct read_task *task, const struct field *row)
{
	struct files_follow *f = arg;
	const char *both = row[FILENAME].text, *second;
	size_t len = row[FILENAME].len;

	(void)task;
	if (!row[MONO].known || !row[RESULT].known || row[RESULT].s < 0 || !len || both[0] != '/')
		return;
	if (row[OPERATION].u == IOT_RENAME) {
		second = f->only_renames ? second_path(both, len) : NULL;
		if (second)
			add_change(f, row, both, (size_t)(second - both) - PATHS_BETWEEN, second,
				   (size_t)(both + len - second));
	} else if (!f->only_renames && counts(f, row)) {
		add_change(f, row, both, len, NULL, 0);
	}
}

/* ---- places ---- */

static bool grow_places(struct files_follow *f)
{
	struct place *old = f->places;
	uint64_t n = f->n_slots;

	f->n_slots = n ? 2 * n : 1024;
	f->places = calloc(f->n_slots, sizeof(*f->places));
	if (!f->places) {
		f->places = old;
		f->n_slots = n;
		return false;
	}
	for (uint64_t i = 0; i < n; i++)
		if (old[i].hash)
			*slot_of(f, old[i].hash) = old[i];
	free(old);
	return true;
}

/* Made unless it is there; NULL without memory. */
static struct place *place_of(struct files_follow *f, uint64_t hash)
{
	struct place *place;

	if (2 * f->n_places >= f->n_slots && !grow_places(f)) {
		f->no_memory = true;
		return NULL;
	}
	place = slot_of(f, hash);
	f->n_places += !place->hash;
	place->hash = hash;
	return place;
}

/* Of paths that nothing was renamed from or to, nobody needs to know. */
static bool counts(const struct files_follow *f, const struct field *row)
{
	uint64_t op = row[OPERATION].u;

	return (op == IOT_UNLINK || op == IOT_OPEN) &&
	       slot_of(f, path_key((uint32_t)row[MNTNS].u, row[FILENAME].text, row[FILENAME].len))
		       ->hash;
}

/* ---- files ---- */

/* Texts are interned: a name that it had before is at the same place. */
static void add_name(struct files_follow *f, struct followed *file, const char *text, uint64_t ns)
{
	struct name *name;

	for (name = file->first; name; name = name->next)
		if (name->text == text)
			return;
	name = pool_take(&f->changes.pool, sizeof(*name));
	if (!name) {
		f->no_memory = true;
		return;
	}
	*name = (struct name){ .text = text, .since_ns = ns };
	*(file->first ? file->end : &file->first) = name;
	file->end = &name->next;
	file->n_names++;
}

static uint32_t new_file(struct files_follow *f, const struct change *c, const char *name,
			 uint64_t ns)
{
	struct followed *file;
	/* 0 is nobody's */
	uint64_t number = f->n_files ? f->n_files : 1;

	if (!grow(&f->files, &f->max_files, number + 1, 64, sizeof(*file))) {
		f->no_memory = true;
		return 0;
	}
	f->n_files = number + 1;
	file = &f->files[number];
	*file = (struct followed){ .parent = (uint32_t)number, .mntns = c->mntns };
	file->last = name;
	file->last_ns = ns;
	add_name(f, file, name, ns);
	return (uint32_t)number;
}

/* Both are one. */
static uint32_t join(struct files_follow *f, uint32_t a, uint32_t b)
{
	struct followed *to, *from;

	a = whole_of(f, a);
	b = whole_of(f, b);
	if (a == b)
		return a;
	to = &f->files[a];
	from = &f->files[b];
	from->parent = a;
	for (struct name *name = from->first; name; name = name->next)
		add_name(f, to, name->text, name->since_ns);
	if (from->last_ns > to->last_ns) {
		to->last = from->last;
		to->last_ns = from->last_ns;
		to->before = from->before;
	}
	return a;
}

static void bind(struct files_follow *f, struct history *of, uint64_t key, uint64_t ns,
		 uint32_t file)
{
	struct binding *b = key ? history_add(of, sizeof(*b), key, ns) : NULL;

	if (b)
		b->file = file;
	f->no_memory = f->no_memory || of->no_memory;
}

/* ---- what happens ---- */

static uint32_t file_at(struct files_follow *f, const struct change *c, struct place *place,
			const char *name)
{
	uint64_t since = place->left ? c->key.ns : 0;

	/* it was there before anything is known of it */
	if (!place->file) {
		place->file = new_file(f, c, name, since);
		bind(f, &f->paths, place->hash, since, place->file);
	}
	return place->file;
}

/* From the end of the call on it has this name, whatever was there. */
static void move(struct files_follow *f, const struct change *c, struct place *to, uint32_t file,
		 const char *name, const char *from)
{
	struct followed *whole = &f->files[whole_of(f, file)];

	add_name(f, whole, name, c->key.ns);
	whole->last = name;
	whole->before = from;
	whole->last_ns = c->key.ns;
	to->file = file;
	to->created = to->removed = false;
	bind(f, &f->paths, to->hash, c->key.ns, file);
}

static void rename_file(struct files_follow *f, const struct change *c)
{
	struct place *from = place_of(f, path_key(c->mntns, c->path, strlen(c->path))), *to;
	uint32_t file, replaced;
	uint64_t hash;

	if (!from || c->path == c->to)
		return;
	hash = from->hash;
	file = file_at(f, c, from, c->path);
	to = place_of(f, path_key(c->mntns, c->to, strlen(c->to)));
	from = slot_of(f, hash); /* the table may have grown */
	if (!file || !to)
		return;
	if (c->exchange) {
		replaced = file_at(f, c, to, c->to);
		if (replaced)
			move(f, c, from, replaced, c->path, c->to);
		move(f, c, to, file, c->to, c->path);
		return;
	}
	/* an atomic save: the old content is gone, and so is its inode */
	if (to->file && !to->removed)
		file = join(f, to->file, file);
	bind(f, &f->inodes, to->inode_key, c->key.ns, 0);
	to->inode_key = from->inode_key;
	from->inode_key = 0;
	move(f, c, to, file, c->to, c->path);
	from->file = 0;
	from->left = true;
	from->created = from->removed = false;
	bind(f, &f->paths, from->hash, c->key.ns, 0);
}

/* A new file in a place is another one if that was left, and the same if what was there was removed. */
static void open_file(struct files_follow *f, const struct change *c, struct place *place)
{
	if (!file_at(f, c, place, c->path))
		return;
	bind(f, &f->descriptions, c->description, c->key.ns, place->file);
	place->inode_key = inode_key(c->device, c->inode);
	bind(f, &f->inodes, place->inode_key, c->key.ns, place->file);
	place->created = place->created || c->creates;
	place->removed = false;
}

/* One that was moved aside, and whose place a new file has, was replaced by that. */
static void remove_file(struct files_follow *f, const struct change *c, struct place *place)
{
	const struct followed *file = place->file ? &f->files[whole_of(f, place->file)] : NULL;
	const struct place *now = NULL;

	if (file && file->before && file->last == c->path)
		now = slot_of(f, path_key(c->mntns, file->before, strlen(file->before)));
	if (now && now->file && now->created)
		join(f, now->file, place->file);
	bind(f, &f->inodes, place->inode_key, c->key.ns, 0);
	place->inode_key = 0;
	place->removed = true;
}

static void apply(struct files_follow *f, const struct change *c)
{
	struct place *place;

	if (c->op == IOT_RENAME) {
		rename_file(f, c);
		return;
	}
	place = place_of(f, path_key(c->mntns, c->path, strlen(c->path)));
	if (place && c->op == IOT_OPEN)
		open_file(f, c, place);
	else if (place)
		remove_file(f, c, place);
}

/* ---- the last names ---- */

/* Where its last name is another file's by now, or nobody's, it gets a mark; where several had it, a number, too. */
static const char *shown_of(struct files_follow *f, const struct followed *file, uint32_t number)
{
	struct place *place = place_of(f, path_key(file->mntns, file->last, strlen(file->last)));
	char text[PATH_MAX * 2 + 64], count[24] = "";

	if (!place || (place->file && whole_of(f, place->file) == number))
		return file->last;
	if (++place->gone > 1)
		snprintf(count, sizeof(count), " %u", place->gone);
	snprintf(text, sizeof(text), "%s (deleted%s)", file->last, count);
	place = place_of(f, path_key(file->mntns, text, strlen(text)));
	if (place)
		place->file = number;
	return pool_text(&f->changes.pool, text, strlen(text));
}

static void name_all(struct files_follow *f)
{
	for (uint32_t i = 1; i < f->n_files; i++) {
		if (f->files[i].parent == i)
			f->files[i].shown = shown_of(f, &f->files[i], i);
		f->no_memory = f->no_memory || (f->files[i].parent == i && !f->files[i].shown);
	}
}

/* ---- its life ---- */

/* Both names of each rename: all other rows are of interest only where they are about one of these. */
static void find_names(struct files_follow *f)
{
	const struct change *c = f->changes.list;

	for (uint64_t i = 0; i < f->changes.n && !f->no_memory; i++) {
		place_of(f, path_key(c[i].mntns, c[i].path, strlen(c[i].path)));
		place_of(f, path_key(c[i].mntns, c[i].to, strlen(c[i].to)));
	}
}

/*
 * Twice, because a name may be opened before the rename that makes it one of those that count. Without any
 * rename, once.
 */
static int read_changes(struct files_follow *f, const struct read_session *session)
{
	const struct change *c;
	int err;

	f->only_renames = true;
	err = history_read(&f->changes, session, &query, take_row);
	f->only_renames = false;
	if (err || !f->changes.n)
		return err;
	find_names(f);
	err = history_read(&f->changes, session, &query, take_row);
	c = f->changes.list;
	for (uint64_t i = 0; !err && i < f->changes.n && !f->no_memory; i++)
		apply(f, &c[i]);
	history_sort(&f->paths);
	history_sort(&f->inodes);
	history_sort(&f->descriptions);
	if (!err && !f->no_memory)
		name_all(f);
	return err;
}

int files_follow_open(struct files_follow **follow, const struct read_session *session)
{
	struct files_follow *f = *follow = calloc(1, sizeof(*f));
	int err = f ? read_changes(f, session) : -ENOMEM;

	if (!err && (f->no_memory || f->changes.no_memory))
		err = -ENOMEM;
	if (err == -ENOMEM)
		log_error("%s: %s", session->dir, strerror(ENOMEM));
	return err;
}

void files_follow_close(struct files_follow *f)
{
	if (!f)
		return;
	history_free(&f->changes);
	history_free(&f->paths);
	history_free(&f->inodes);
	history_free(&f->descriptions);
	interned_free(&f->texts);
	free(f->files);
	free(f->places);
	free(f);
}
