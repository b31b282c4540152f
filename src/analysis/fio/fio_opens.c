/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the open files: those that are closed make room for later ones. */
#include "analysis/fio/fio_opens.h"

#include <stdlib.h>

#include "analysis/common/hash.h"

enum { FIRST_BUCKETS = 1024 };

static struct fio_open **bucket(const struct fio_opens *opens, uint64_t key)
{
	return &opens->buckets[hash_mix(0, key) & (opens->n_buckets - 1)];
}

static struct fio_open *with_key(struct fio_open *open, uint64_t key)
{
	while (open && open->key != key)
		open = open->next;
	return open;
}

struct fio_open *fio_opens_find(const struct fio_opens *opens, uint64_t key)
{
	return opens->n ? with_key(*bucket(opens, key), key) : NULL;
}

struct fio_open *fio_opens_next(const struct fio_open *open)
{
	return with_key(open->next, open->key);
}

/* As many buckets as open files at least: chains stay short however many there are. */
static bool room(struct fio_opens *opens)
{
	struct fio_opens more = { .n_buckets = opens->n_buckets ? opens->n_buckets * 2 :
								  FIRST_BUCKETS };
	struct fio_open *open, *next, **to;

	if (opens->n < opens->n_buckets)
		return true;
	more.buckets = calloc(more.n_buckets, sizeof(*more.buckets));
	if (!more.buckets)
		return false;
	for (uint64_t i = 0; i < opens->n_buckets; i++)
		for (open = opens->buckets[i]; open; open = next) {
			next = open->next;
			to = bucket(&more, open->key);
			open->next = *to;
			*to = open;
		}
	free(opens->buckets);
	opens->buckets = more.buckets;
	opens->n_buckets = more.n_buckets;
	return true;
}

struct fio_open *fio_opens_add(struct fio_opens *opens, uint64_t key)
{
	struct fio_open *open, **to;

	if (!room(opens))
		return NULL;
	/* a trace may open millions of files, but few at the same time */
	open = opens->spare;
	if (open)
		opens->spare = open->next;
	else
		open = pool_take(&opens->pool, sizeof(*open));
	if (!open)
		return NULL;
	to = bucket(opens, key);
	*open = (struct fio_open){ .key = key, .user = FIO_NOBODY, .next = *to };
	*to = open;
	opens->n++;
	return open;
}

void fio_opens_remove(struct fio_opens *opens, struct fio_open *open)
{
	struct fio_open **at = bucket(opens, open->key);

	while (*at != open)
		at = &(*at)->next;
	*at = open->next;
	open->next = opens->spare;
	opens->spare = open;
	opens->n--;
}

void fio_opens_free(struct fio_opens *opens)
{
	free(opens->buckets);
	pool_free(&opens->pool);
	*opens = (struct fio_opens){ .n = 0 };
}
