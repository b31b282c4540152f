/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the threads of a trace, which of them share open files, and how they become jobs. */
#include "analysis/fio/fio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"

/*
 * So seldom may a use of an open file begin within another thread's: it then still counts as one that goes
 * from thread to thread.
 */
enum { FIRST_ROOM = 64, SELDOM = 100 /* one in so many */ };

/* ---- threads ---- */

/* A thread that works in several ways is several: a job has the same options for all that it does. */
static bool is_actor(const void *owner, uint32_t item, const void *key)
{
	const struct fio_actor *a = &((const struct fio *)owner)->actors[item];
	const struct fio_row *row = key;

	return a->tid == row->tid && a->pid == row->pid && a->klass == row->klass;
}

static uint64_t thread_hash(const struct fio_row *row)
{
	return hash_mix((uint64_t)row->pid << 32 | row->tid, row->klass);
}

/* The thread of the row in that way; -1: there is none. */
static int64_t find_actor(const struct fio *fio, const struct fio_row *row, uint8_t klass)
{
	struct fio_row other = *row;

	other.klass = klass;
	return hash_index_find(&fio->by_thread, thread_hash(&other), is_actor, fio, &other);
}

/* In its own way first, then in any. */
static int64_t any_actor(const struct fio *fio, const struct fio_row *row)
{
	int64_t found = find_actor(fio, row, row->klass);

	for (unsigned i = 0; i < N_FIO_CLASSES && found < 0; i++)
		found = find_actor(fio, row, (uint8_t)i);
	return found;
}

static int64_t actor_of(struct fio *fio, const struct fio_row *row)
{
	uint64_t hash = thread_hash(row);
	int64_t found = hash_index_find(&fio->by_thread, hash, is_actor, fio, row);
	struct fio_actor *a;

	if (found >= 0)
		return found;
	if (!grow(&fio->actors, &fio->max_actors, fio->n_actors + 1, FIRST_ROOM,
		  sizeof(*fio->actors)) ||
	    !hash_index_room(&fio->by_thread))
		return -1;
	a = &fio->actors[fio->n_actors];
	*a = (struct fio_actor){
		.first_ns = row->ns,
		.command = interned_text(&fio->names, &fio->pool, row->command, row->command_len),
		.pid = row->pid,
		.tid = row->tid,
		.depth = 1,
		.klass = row->klass,
	};
	if (row->klass & (FIO_AIO | FIO_URING))
		a->ends = pool_take(&fio->pool, FIO_MAX_DEPTH * sizeof(*a->ends));
	if (!a->command || ((row->klass & (FIO_AIO | FIO_URING)) && !a->ends))
		return -1;
	hash_index_add(&fio->by_thread, hash, fio->n_actors);
	return (int64_t)fio->n_actors++;
}

/* What ended before this one began is in flight no more. Beyond FIO_MAX_DEPTH nothing is counted. */
static void count_depth(struct fio_actor *a, const struct fio_row *row)
{
	unsigned n = 0;

	for (unsigned i = 0; i < a->in_flight; i++)
		if (a->ends[i] > row->ns)
			a->ends[n++] = a->ends[i];
	if (n < FIO_MAX_DEPTH)
		a->ends[n++] = row->end_ns;
	a->in_flight = (uint16_t)n;
	if (n > a->depth)
		a->depth = (uint16_t)n;
}

/* ---- open files that threads hand to one another ---- */

static bool is_number(const void *owner, uint32_t item, const void *number)
{
	return ((const struct fio_set *)owner)->list[item] == *(const uint64_t *)number;
}

static bool has(const struct fio_set *set, uint64_t number)
{
	return hash_index_find(&set->index, hash_mix(0, number), is_number, set, &number) >= 0;
}

/* False without memory. */
static bool put(struct fio_set *set, uint64_t number)
{
	if (!grow(&set->list, &set->max, set->n + 1, FIRST_ROOM, sizeof(*set->list)) ||
	    !hash_index_room(&set->index))
		return false;
	set->list[set->n] = number;
	hash_index_add(&set->index, hash_mix(0, number), set->n++);
	return true;
}

static void set_free(struct fio_set *set)
{
	free(set->list);
	hash_index_close(&set->index);
}

bool fio_is_together(const struct fio *fio, uint64_t row)
{
	return has(&fio->together, row);
}

bool fio_is_in_turn(const struct fio *fio, const char *path, uint32_t len)
{
	return fio->in_turn.n && has(&fio->in_turn, hash_text(0, path, len));
}

/* All of its users were one after the other. */
static bool was_in_turn(const struct fio_open *open)
{
	return open->handed && !open->mixed && open->n_overlaps * SELDOM <= open->n;
}

/* It is used no more. */
static void judge(struct fio *fio, const struct fio_open *open)
{
	if (was_in_turn(open) && !put(&fio->together, open->first_row))
		fio->no_memory = true;
}

/* The open file, or the file, of that key. */
static void use(struct fio *fio, struct fio_opens *opens, uint64_t key, uint32_t actor,
		const struct fio_row *row)
{
	struct fio_open *open = fio_opens_find(opens, key);

	if (!open) {
		open = fio_opens_add(opens, key);
		if (!open) {
			fio->no_memory = true;
			return;
		}
		/* by this number the second reading knows it, which counts the same rows */
		open->first_row = fio->n_rows;
		open->user = actor;
	}
	open->n++;
	if (open->user != actor) {
		open->handed = true;
		open->mixed = open->mixed ||
			      fio->actors[open->user].klass != fio->actors[actor].klass;
		open->n_overlaps += row->ns < open->end_ns;
		open->written = open->written || row->does == FIO_WRITE;
	}
	if (row->end_ns > open->end_ns)
		open->end_ns = row->end_ns;
	open->user = actor;
}

/* At its end; also where the next one of that key begins, because the end was not seen. */
static void used(struct fio *fio, uint64_t key)
{
	struct fio_open *open = fio_opens_find(&fio->opens, key);

	if (!open)
		return;
	judge(fio, open);
	fio_opens_remove(&fio->opens, open);
}

/* ---- rows ---- */

/*
 * A sync belongs to what was read or written through the same open file, in whatever way it is called: fsync(2) to
 * requests of AIO.
 */
static int64_t actor_for(struct fio *fio, const struct fio_row *row)
{
	const struct fio_open *open = fio_row_syncs(row) ? fio_opens_find(&fio->opens, row->key) :
							   NULL;
	const struct fio_actor *a = open ? &fio->actors[open->user] : NULL;
	int64_t found = a && a->pid == row->pid && a->tid == row->tid ? (int64_t)open->user : -1;

	if (found < 0 && fio_row_syncs(row))
		found = any_actor(fio, row);
	return found < 0 ? actor_of(fio, row) : found;
}

static void act(struct fio *fio, const struct fio_row *row)
{
	int64_t actor = actor_for(fio, row);
	struct fio_actor *a;

	if (actor < 0) {
		fio->no_memory = true;
		return;
	}
	a = &fio->actors[actor];
	a->n++;
	if (row->end_ns > a->end_ns)
		a->end_ns = row->end_ns;
	if (!fio->first_ns || row->ns < fio->first_ns)
		fio->first_ns = row->ns;
	if (a->ends)
		count_depth(a, row);
	use(fio, &fio->opens, row->key, (uint32_t)actor, row);
	use(fio, &fio->files, hash_text(0, row->path, row->path_len), (uint32_t)actor, row);
}

void fio_add(struct fio *fio, const struct fio_row *row)
{
	if (row->does == FIO_OPEN || row->does == FIO_CLOSE)
		used(fio, row->key);
	else if (row->does != FIO_NOTHING)
		act(fio, row);
	fio->n_rows++;
}

/* ---- jobs ---- */

struct start {
	uint64_t ns;
	uint32_t actor;
};

static int compare_starts(const void *x, const void *y)
{
	const struct start *a = x, *b = y;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->actor < b->actor ? -1 : 1;
}

/* The job of this kind that ended last before the actor began; FIO_NOBODY: all are busy. */
static uint32_t free_job(const struct fio *fio, const struct fio_actor *a)
{
	uint32_t best = FIO_NOBODY;

	for (uint32_t i = 0; i < fio->n_jobs; i++) {
		const struct fio_job *job = &fio->jobs[i];

		if (job->klass == a->klass && job->end_ns <= a->first_ns &&
		    (best == FIO_NOBODY || job->end_ns > fio->jobs[best].end_ns))
			best = i;
	}
	return best;
}

static int place(struct fio *fio, struct fio_actor *a)
{
	struct fio_job *job;

	a->job = free_job(fio, a);
	if (a->job == FIO_NOBODY) {
		if (fio->n_jobs == FIO_MAX_JOBS)
			return -E2BIG;
		if (!grow(&fio->jobs, &fio->max_jobs, fio->n_jobs + 1, FIRST_ROOM, sizeof(*job)))
			return -ENOMEM;
		a->job = (uint32_t)fio->n_jobs++;
		fio->jobs[a->job] = (struct fio_job){
			.command = a->command,
			.pid = a->pid,
			.tid = a->tid,
			.first_ns = a->first_ns,
			.klass = a->klass,
		};
	}
	job = &fio->jobs[a->job];
	job->end_ns = a->end_ns;
	job->n_threads++;
	if (a->depth > job->depth)
		job->depth = a->depth;
	return 0;
}

/*
 * In the order of their beginnings: so there are as many jobs as threads of a kind were busy at the same
 * time, and no more.
 */
static int place_all(struct fio *fio, struct start *starts)
{
	for (uint32_t i = 0; i < fio->n_actors; i++)
		starts[i] = (struct start){ fio->actors[i].first_ns, i };
	if (fio->n_actors)
		qsort(starts, fio->n_actors, sizeof(*starts), compare_starts);
	for (uint64_t i = 0; i < fio->n_actors; i++) {
		int err = place(fio, &fio->actors[starts[i].actor]);

		if (err)
			return err;
	}
	return 0;
}

int fio_make_jobs(struct fio *fio)
{
	struct start *starts = calloc(fio->n_actors + 1, sizeof(*starts));
	int err = -ENOMEM;

	/* those that nothing closed */
	for (uint64_t i = 0; i < fio->opens.n_buckets; i++)
		for (struct fio_open *open = fio->opens.buckets[i]; open; open = open->next)
			judge(fio, open);
	for (uint64_t i = 0; i < fio->files.n_buckets; i++)
		for (struct fio_open *file = fio->files.buckets[i]; file; file = file->next)
			if (file->written && was_in_turn(file) && !put(&fio->in_turn, file->key))
				fio->no_memory = true;
	fio_opens_free(&fio->opens);
	fio_opens_free(&fio->files);
	if (starts && !fio->no_memory)
		err = place_all(fio, starts);
	free(starts);
	return err;
}

uint32_t fio_job_of(const struct fio *fio, const struct fio_row *row)
{
	int64_t actor = any_actor(fio, row);

	return actor < 0 ? FIO_NOBODY : fio->actors[actor].job;
}

bool fio_has_job(const struct fio *fio, const struct fio_row *row, uint32_t job)
{
	int64_t actor;

	for (unsigned i = 0; i < N_FIO_CLASSES; i++) {
		actor = find_actor(fio, row, (uint8_t)i);
		if (actor >= 0 && fio->actors[actor].job == job)
			return true;
	}
	return false;
}

void fio_free(struct fio *fio)
{
	free(fio->actors);
	free(fio->jobs);
	hash_index_close(&fio->by_thread);
	set_free(&fio->together);
	set_free(&fio->in_turn);
	fio_opens_free(&fio->opens);
	fio_opens_free(&fio->files);
	interned_free(&fio->names);
	pool_free(&fio->pool);
	*fio = (struct fio){ .n_jobs = 0 };
}
