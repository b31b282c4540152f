/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of renames, read once before the rows that it is for. */
#include "analysis/amp/renames.h"

#include <errno.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "row/effects.h"
#include "row/records.h"
#include "row/row_words.h"

/* A chain as long as that is a circle of names that are used again and again. */
enum { MAX_CHAIN = 64 };

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(OPERATION, "operation", TEXT, .words = fs_operations) \
	COLUMN(FILENAME, "filename", PATH) \
	COLUMN(RESULT, "return_value", INT) \
	COLUMN(FLAGS, "flags", TEXT) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, N_COLUMNS, COLUMNS);

struct rename_entry {
	struct history_key key; /* of the first name */
	const char *from, *to;
	size_t from_len, to_len;
};

static void add(struct history *r, const char *from, size_t from_len, const char *to, size_t to_len,
		uint64_t ns)
{
	struct rename_entry *e = history_add(r, sizeof(*e), hash_text(1, from, from_len), ns);

	if (!e)
		return;
	e->from = pool_text(&r->pool, from, from_len);
	e->to = pool_text(&r->pool, to, to_len);
	e->from_len = from_len;
	e->to_len = to_len;
	r->no_memory = r->no_memory || !e->from || !e->to;
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct history *r = arg;
	const char *both = f[FILENAME].text, *second;
	size_t first_len, second_len;

	(void)task;
	if (f[OPERATION].u != IOT_RENAME || f[RESULT].s != 0 || !f[MONO].known)
		return;
	second = second_path(both, f[FILENAME].len);
	if (!second)
		return;
	first_len = (size_t)(second - both) - PATHS_BETWEEN;
	second_len = (size_t)(both + f[FILENAME].len - second);
	add(r, both, first_len, second, second_len, f[MONO].u);
	if (field_has(&f[FLAGS], "EXCHANGE"))
		add(r, second, second_len, both, first_len, f[MONO].u);
}

int renames_read(struct history *renames, const struct read_session *session)
{
	const struct read_query query = { STREAM_fs, columns, N_COLUMNS };
	int err = history_read(renames, session, &query, take_row);

	return renames->no_memory ? -ENOMEM : err;
}

/* The first one of this name at ns or later; NULL: there is none. */
static const struct rename_entry *next_of(const struct history *r, const char *path, size_t len,
					  uint64_t ns)
{
	const uint64_t hash = hash_text(1, path, len);
	const struct rename_entry *e;

	for (uint64_t i = history_find(r, hash, ns); (e = history_at(r, i, hash)); i++)
		/* other names may have the same hash */
		if (e->from_len == len && !memcmp(e->from, path, len))
			return e;
	return NULL;
}

const char *renames_last(const struct history *r, const char *path, size_t *len, uint64_t ns)
{
	for (unsigned i = 0; r->n && i < MAX_CHAIN; i++) {
		const struct rename_entry *e = next_of(r, path, *len, ns);

		if (!e)
			break;
		path = e->to;
		*len = e->to_len;
		ns = e->key.ns + 1;
	}
	return path;
}
