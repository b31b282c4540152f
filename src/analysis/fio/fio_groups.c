/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which files and threads are of one kind. */
#include "analysis/fio/fio_groups.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"

enum {
	KIND_READ = 1,
	KIND_WRITTEN = 2,
	SMALL = 16 << 10,
	LARGE = 256 << 10,
	FIRST_ROOM = 16,
	SELDOM = 100, /* one in so many */
};

/*
 * A log that gets a line at a time and a table that is written as a whole are of two kinds: the few large
 * requests would be none of a hundred.
 */
static unsigned size_class(const struct fio_shape *s)
{
	uint64_t mean = fio_shape_moves(s) ? (s->bytes[0] + s->bytes[1]) / fio_shape_moves(s) : 0;

	return mean < SMALL ? 0 : mean < LARGE ? FIO_KIND_SIZES : 2 * FIO_KIND_SIZES;
}

/* Of all jobs together: what one writes and another reads is a file of both kinds. */
static unsigned *kinds_of_files(const struct fio_replay *r)
{
	unsigned *kinds = calloc(r->files.n + 1, sizeof(*kinds));

	for (uint64_t i = 0; kinds && i < r->n_uses; i++) {
		const struct fio_shape *s = r->uses[i].shape;

		if (s && s->n[0])
			kinds[r->uses[i].file] |= KIND_READ;
		if (s && s->n[1])
			kinds[r->uses[i].file] |= KIND_WRITTEN;
	}
	return kinds;
}

static struct fio_group *group_of(struct fio_groups *groups, const struct fio_job *job,
				  unsigned kind)
{
	struct fio_group *g;

	for (uint64_t i = 0; i < groups->n; i++) {
		g = &groups->list[i];
		/* commands are interned: the same text is at the same place */
		if (g->command == job->command && g->klass == job->klass && g->kind == kind)
			return g;
	}
	if (!grow(&groups->list, &groups->max, groups->n + 1, FIRST_ROOM, sizeof(*g)))
		return NULL;
	g = &groups->list[groups->n++];
	*g = (struct fio_group){ .command = job->command,
				 .klass = job->klass,
				 .kind = (uint8_t)kind,
				 .last_job = FIO_NOBODY };
	return g;
}

static void add_use(struct fio_group *g, const struct fio_replay *r, const struct fio_use *use)
{
	const struct fio_job *job = &r->fio->jobs[use->job];

	fio_shape_join(&g->shape, use->shape);
	g->n_files++;
	if (job->depth > g->depth)
		g->depth = job->depth;
	/* uses come by job: it counts once, however many files it has */
	if (g->last_job == use->job)
		return;
	g->last_job = use->job;
	g->n_jobs++;
	g->span_ns += job->end_ns - job->first_ns;
}

static int compare(const void *x, const void *y)
{
	const struct fio_group *a = x, *b = y;

	if (fio_shape_moves(&a->shape) != fio_shape_moves(&b->shape))
		return fio_shape_moves(&a->shape) > fio_shape_moves(&b->shape) ? -1 : 1;
	return a->span_ns > b->span_ns ? -1 : a->span_ns < b->span_ns;
}

static int compare_uses(const void *x, const void *y)
{
	const struct fio_use *a = *(struct fio_use *const *)x, *b = *(struct fio_use *const *)y;

	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	return a->file < b->file ? -1 : a->file > b->file;
}

/*
 * Syncs of what the job neither read nor wrote (the directory of a file that is new) count for what it wrote most of,
 * since fio has none without a file.
 */
static void add_lone_sync(struct fio_groups *groups, const struct fio_job *job,
			  const struct fio_shape *shape)
{
	struct fio_group *best = NULL;

	for (uint64_t i = 0; i < groups->n; i++) {
		struct fio_group *g = &groups->list[i];

		if (g->command == job->command && g->klass == job->klass && g->shape.n[1] &&
		    (!best || g->shape.n[1] > best->shape.n[1]))
			best = g;
	}
	if (best)
		fio_shape_join(&best->shape, shape);
}

static void drop(struct fio_group *g, unsigned to, uint64_t busy_ns)
{
	struct fio_shape *s = &g->shape;

	s->n[to] = s->bytes[to] = s->sequential[to] = 0;
	memset(s->sizes[to], 0, sizeof(s->sizes[to]));
	s->busy_ns = busy_ns;
	if (to)
		s->syncs = s->datasyncs = 0;
}

/*
 * Of reads and writes that share their files, fio has the share in whole per cent: where there are hardly any of one
 * (tables of 1 MB that are written once, and read often), each has a group.
 */
static bool split(struct fio_groups *groups)
{
	uint64_t n = groups->n;

	for (uint64_t i = 0; i < n; i++) {
		struct fio_shape *s = &groups->list[i].shape;
		uint64_t few = s->n[0] < s->n[1] ? s->n[0] : s->n[1], all = fio_shape_moves(s);
		uint64_t reading = all ? s->busy_ns / all * s->n[0] : 0, busy = s->busy_ns;

		if (!few || few * SELDOM >= all)
			continue;
		if (!grow(&groups->list, &groups->max, groups->n + 1, FIRST_ROOM,
			  sizeof(*groups->list)))
			return false;
		groups->list[groups->n] = groups->list[i];
		drop(&groups->list[groups->n++], 1, reading);
		drop(&groups->list[i], 0, busy - reading);
	}
	return true;
}

bool fio_groups_make(struct fio_groups *groups, const struct fio_replay *r)
{
	unsigned *kinds = kinds_of_files(r);
	struct fio_use **uses = calloc(r->n_uses + 1, sizeof(*uses));
	bool made = kinds && uses;

	for (uint64_t i = 0; made && i < r->n_uses; i++)
		uses[i] = &r->uses[i];
	if (made && r->n_uses)
		qsort(uses, r->n_uses, sizeof(struct fio_use *), compare_uses);
	for (uint64_t i = 0; made && i < r->n_uses; i++) {
		struct fio_group *g;

		/* only opened, or only synced */
		if (!uses[i]->shape || !kinds[uses[i]->file])
			continue;
		g = group_of(groups, &r->fio->jobs[uses[i]->job],
			     kinds[uses[i]->file] | size_class(uses[i]->shape));
		if (g)
			add_use(g, r, uses[i]);
		made = g;
	}
	for (uint64_t i = 0; made && i < r->n_uses; i++)
		if (uses[i]->shape && !kinds[uses[i]->file])
			add_lone_sync(groups, &r->fio->jobs[uses[i]->job], uses[i]->shape);
	made = made && split(groups);
	if (made && groups->n)
		qsort(groups->list, groups->n, sizeof(*groups->list), compare);
	free(kinds);
	free(uses);
	return made;
}

void fio_groups_free(struct fio_groups *groups)
{
	free(groups->list);
	*groups = (struct fio_groups){ .n = 0 };
}
