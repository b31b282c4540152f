/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what renames, removals and creations mean for whose name a path is. */
#include "analysis/files/files_follow.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/cells.h"
#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "analysis/common/history.h"
#include "analysis/common/interned.h"
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

/* Keys of three kinds, kept apart by the number that each begins with. 0 is none, so that the last bit is set. */
static uint64_t path_key(uint32_t mntns, const char *path, size_t len)
{
	return hash_text(hash_mix(1, mntns), path, len) | 1;
}

static uint64_t inode_key(uint32_t device, uint64_t inode)
{
	return inode ? hash_mix(hash_mix(2, device), inode) | 1 : 0;
}

static uint64_t description_key(bool known, uint64_t ofd)
{
	return known ? hash_mix(3, ofd) | 1 : 0;
}

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

/* Its place, or the free one where it would be: half of them are free at least. */
static struct place *slot_of(const struct files_follow *f, uint64_t hash)
{
	uint64_t at = hash & (f->n_slots - 1);

	while (f->places[at].hash && f->places[at].hash != hash)
		at = (at + 1) & (f->n_slots - 1);
	return &f->places[at];
}

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

/* Parts are joined by number, as bindings to a part stay valid then. */
static uint32_t whole_of(const struct files_follow *f, uint32_t file)
{
	while (f->files[file].parent != file)
		file = f->files[file].parent;
	return file;
}

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

/* ---- what is asked ---- */

/* Whose it was at that time; 0: nobody's. before: the first one that has it later will do, too. */
static uint32_t bound_at(const struct history *of, uint64_t key, uint64_t ns, bool before)
{
	uint64_t i = history_find(of, key, ns + 1);
	const struct binding *b = i ? history_at(of, i - 1, key) : NULL;

	/* a name that was first seen when a file got it may have been that of one before */
	if (!b && before)
		b = history_at(of, i, key);
	return b ? b->file : 0;
}

void files_follow_row(const struct files_follow *f, struct files_row *row)
{
	uint64_t path = path_key(row->mntns, row->path.text, row->path.len);
	uint64_t inode = row->second ? 0 : inode_key(row->device, row->inode);
	uint64_t description = description_key(!row->second && row->description != FILES_UNKNOWN,
					       row->description);
	bool is_named = f->n_slots && row->path.len && slot_of(f, path)->hash;
	uint32_t file = inode ? bound_at(&f->inodes, inode, row->mono_ns, false) : 0;
	const char *shown;

	/* what is open keeps its file, whatever has its name now */
	if (!file && is_named && description)
		file = bound_at(&f->descriptions, description, row->mono_ns, false);
	if (!file && is_named)
		file = bound_at(&f->paths, path, row->mono_ns, true);
	if (!file)
		return;
	shown = f->files[whole_of(f, file)].shown;
	row->path = (struct files_text){ shown, (uint32_t)strlen(shown) };
}

uint64_t files_follow_names(const struct files_follow *f, uint32_t mntns, const char *shown,
			    size_t len)
{
	const struct place *place = f->n_slots ? slot_of(f, path_key(mntns, shown, len)) : NULL;

	return place && place->file ? f->files[whole_of(f, place->file)].n_names : 1;
}

static void print_names(struct cells *c, const struct followed *file, const char *host)
{
	for (const struct name *name = file->first; name; name = name->next) {
		if (host)
			cell(c, "host", TABLE_NAME, table_text(host));
		cell(c, "mntns", TABLE_COUNT, table_number_if(file->mntns, file->mntns));
		cell(c, "since_ns", TABLE_COUNT, table_number_if(name->since_ns, name->since_ns));
		cell(c, "filename", TABLE_NAME, table_text(file->shown));
		cell(c, "name", TABLE_NAME, table_text(name->text));
		cells_row(c);
	}
}

int files_follow_print(const struct files_follow *const *follows, const char *const *hosts,
		       unsigned n, const struct row_filter *filter, enum table_format format,
		       FILE *out)
{
	struct name nothing = { .text = "" };
	struct cells c;

	cells_begin(&c, out, format);
	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 1; k < follows[i]->n_files; k++) {
			const struct followed *file = &follows[i]->files[k];

			if (file->parent == k && file->n_names > 1 &&
			    row_filter_has_path(filter, file->shown, strlen(file->shown)))
				print_names(&c, file, hosts ? hosts[i] : NULL);
		}
	if (cells_none(&c))
		print_names(&c, &(struct followed){ .first = &nothing }, hosts ? "" : NULL);
	return cells_end(&c);
}
