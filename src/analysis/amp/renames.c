/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of renames, read once before the rows that it is for. */
#include "analysis/amp/renames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "read/read_parallel.h"
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
	uint64_t hash;
	uint64_t ns;
	const char *from, *to;
	size_t from_len, to_len;
};

static void add(struct renames *r, const char *from, size_t from_len, const char *to, size_t to_len,
		uint64_t ns)
{
	struct rename_entry *e;

	if (!grow(&r->list, &r->max, r->n + 1, 256, sizeof(*r->list))) {
		r->no_memory = true;
		return;
	}
	e = &r->list[r->n];
	*e = (struct rename_entry){
		.hash = hash_text(1, from, from_len),
		.ns = ns,
		.from = pool_text(&r->pool, from, from_len),
		.to = pool_text(&r->pool, to, to_len),
		.from_len = from_len,
		.to_len = to_len,
	};
	if (e->from && e->to)
		r->n++;
	else
		r->no_memory = true;
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct renames *r = arg;
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

static int compare(const void *a, const void *b)
{
	const struct rename_entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* By one thread: they are few. */
int renames_read(struct renames *renames, const struct read_session *session)
{
	const struct read_query query = { STREAM_fs, columns, N_COLUMNS };
	struct read_parallel read = {
		.session = session,
		.queries = &query,
		.n_queries = 1,
		.n_threads = 1,
		.arg = renames,
		.row = take_row,
	};
	struct read_totals totals;
	int err = read_parallel(&read, &totals);

	if (renames->n)
		qsort(renames->list, renames->n, sizeof(*renames->list), compare);
	return renames->no_memory ? -ENOMEM : err;
}

/* The first one of this name at ns or later; NULL: there is none. */
static const struct rename_entry *next_of(const struct renames *r, const char *path, size_t len,
					  uint64_t ns)
{
	const uint64_t hash = hash_text(1, path, len);
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct rename_entry *e = &r->list[middle];

		if (e->hash < hash || (e->hash == hash && e->ns < ns))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < r->n && r->list[low].hash == hash; low++)
		if (r->list[low].from_len == len && !memcmp(r->list[low].from, path, len))
			return &r->list[low];
	return NULL;
}

const char *renames_last(const struct renames *r, const char *path, size_t *len, uint64_t ns)
{
	for (unsigned i = 0; r->n && i < MAX_CHAIN; i++) {
		const struct rename_entry *e = next_of(r, path, *len, ns);

		if (!e)
			break;
		path = e->to;
		*len = e->to_len;
		ns = e->ns + 1;
	}
	return path;
}

void renames_free(struct renames *r)
{
	free(r->list);
	pool_free(&r->pool);
	*r = (struct renames){ .n = 0 };
}
