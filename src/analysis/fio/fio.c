/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the threads of a trace, which of them share open files, and how they become jobs. */
#include "analysis/fio/fio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"

enum { FIRST_ROOM = 64, SELDOM = 100 /* one in so many */ };

static bool no_memory(struct fio *fio)
{
	fio->no_memory = true;
	return false;
}

/* ---- threads ---- */

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

static bool is_process(const void *owner, uint32_t item, const void *pid)
{
	return ((const struct fio *)owner)->processes[item].pid == *(const uint32_t *)pid;
}

static int64_t process_of(struct fio *fio, uint32_t pid)
{
	int64_t found = hash_index_find(&fio->by_pid, hash_mix(0, pid), is_process, fio, &pid);

	if (found >= 0)
		return found;
	if (!grow(&fio->processes, &fio->max_processes, fio->n_processes + 1, FIRST_ROOM,
		  sizeof(*fio->processes)) ||
	    !hash_index_room(&fio->by_pid))
		return -1;
	fio->processes[fio->n_processes] = (struct fio_process){ .pid = pid, .latest = FIO_NOBODY };
	hash_index_add(&fio->by_pid, hash_mix(0, pid), fio->n_processes);
	return (int64_t)fio->n_processes++;
}

static int64_t actor_of(struct fio *fio, const struct fio_row *row)
{
	uint64_t hash = thread_hash(row);
	int64_t found = hash_index_find(&fio->by_thread, hash, is_actor, fio, row);
	int64_t process = found < 0 ? process_of(fio, row->pid) : 0;
	struct fio_actor *a;

	if (found >= 0 || process < 0)
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
		.process = (uint32_t)process,
		.same = (uint32_t)fio->n_actors,
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

static void count_overlap(struct fio_process *p, uint32_t actor, const struct fio_row *row)
{
	bool latest = p->latest == actor;

	p->n++;
	p->n_overlaps += (latest ? p->other_ns : p->end_ns) > row->ns;
	if (row->end_ns > p->end_ns) {
		if (!latest)
			p->other_ns = p->end_ns;
		p->end_ns = row->end_ns;
		p->latest = actor;
	} else if (!latest && row->end_ns > p->other_ns) {
		p->other_ns = row->end_ns;
	}
}

/* ---- who uses the files that others opened ---- */

static bool is_pair(const void *owner, uint32_t item, const void *pair)
{
	return !memcmp(&((const struct fio *)owner)->pairs[item], pair, sizeof(struct fio_pair));
}

static void pair_up(struct fio *fio, uint32_t a, uint32_t b)
{
	const struct fio_pair pair = { a < b ? a : b, a < b ? b : a };
	uint64_t hash = hash_mix(pair.a, pair.b);

	if (hash_index_find(&fio->by_pair, hash, is_pair, fio, &pair) >= 0)
		return;
	if (!grow(&fio->pairs, &fio->max_pairs, fio->n_pairs + 1, FIRST_ROOM,
		  sizeof(*fio->pairs)) ||
	    !hash_index_room(&fio->by_pair)) {
		no_memory(fio);
		return;
	}
	fio->pairs[fio->n_pairs] = pair;
	hash_index_add(&fio->by_pair, hash, fio->n_pairs++);
}

static void use(struct fio *fio, uint32_t actor, const struct fio_row *row)
{
	struct fio_open *open = fio_opens_find(&fio->opens, row->key);
	const struct fio_actor *a = &fio->actors[actor], *other;

	if (!open)
		open = fio_opens_add(&fio->opens, row->key);
	if (!open) {
		no_memory(fio);
		return;
	}
	if (open->user != actor && open->user != FIO_NOBODY) {
		other = &fio->actors[open->user];
		if (other->process == a->process && other->klass == a->klass)
			pair_up(fio, actor, open->user);
	}
	open->user = actor;
}

void fio_add(struct fio *fio, const struct fio_row *row)
{
	struct fio_actor *a;
	int64_t actor;

	if (row->does == FIO_OPEN || row->does == FIO_CLOSE) {
		struct fio_open *open = fio_opens_find(&fio->opens, row->key);

		if (open)
			fio_opens_remove(&fio->opens, open);
		return;
	}
	if (row->does == FIO_NOTHING)
		return;
	actor = actor_of(fio, row);
	if (actor < 0) {
		no_memory(fio);
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
	count_overlap(&fio->processes[a->process], (uint32_t)actor, row);
	use(fio, (uint32_t)actor, row);
}

/* ---- jobs ---- */

static uint32_t first_same(struct fio *fio, uint32_t actor)
{
	while (fio->actors[actor].same != actor)
		actor = fio->actors[actor].same = fio->actors[fio->actors[actor].same].same;
	return actor;
}

/*
 * Threads of a process that use each other's open files, one after the other: fio has a
 * descriptor for each job, and whether a read is sequential depends on all that was done through it.
 */
static void join_pairs(struct fio *fio)
{
	for (uint64_t i = 0; i < fio->n_pairs; i++) {
		uint32_t a = first_same(fio, fio->pairs[i].a), b = first_same(fio, fio->pairs[i].b);
		const struct fio_process *p = &fio->processes[fio->actors[a].process];

		if (p->n_overlaps * SELDOM > p->n || a == b)
			continue;
		fio->actors[a < b ? b : a].same = a < b ? a : b;
	}
	for (uint32_t i = 0; i < fio->n_actors; i++) {
		const struct fio_actor *a = &fio->actors[i];
		struct fio_actor *first = &fio->actors[first_same(fio, i)];

		if (a->first_ns < first->first_ns)
			first->first_ns = a->first_ns;
		if (a->end_ns > first->end_ns)
			first->end_ns = a->end_ns;
		if (a->depth > first->depth)
			first->depth = a->depth;
	}
}

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
	if (a->depth > job->depth)
		job->depth = a->depth;
	return 0;
}

static int place_all(struct fio *fio, struct start *starts)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < fio->n_actors; i++)
		if (fio->actors[i].same == i)
			starts[n++] = (struct start){ fio->actors[i].first_ns, i };
	if (n)
		qsort(starts, n, sizeof(*starts), compare_starts);
	for (uint64_t i = 0; i < n; i++) {
		int err = place(fio, &fio->actors[starts[i].actor]);

		if (err)
			return err;
	}
	for (uint32_t i = 0; i < fio->n_actors; i++) {
		fio->actors[i].job = fio->actors[first_same(fio, i)].job;
		fio->jobs[fio->actors[i].job].n_threads++;
	}
	return 0;
}

int fio_make_jobs(struct fio *fio)
{
	struct start *starts = calloc(fio->n_actors + 1, sizeof(*starts));
	int err = -ENOMEM;

	fio_opens_free(&fio->opens);
	if (starts && !fio->no_memory) {
		join_pairs(fio);
		err = place_all(fio, starts);
	}
	free(starts);
	return err;
}

uint32_t fio_job_of(const struct fio *fio, const struct fio_row *row)
{
	struct fio_row other = *row;
	int64_t actor;

	for (unsigned i = 0; i <= N_FIO_CLASSES; i++) {
		/* its own kind first */
		other.klass = i ? (uint8_t)(i - 1) : row->klass;
		actor = hash_index_find(&fio->by_thread, thread_hash(&other), is_actor, fio,
					&other);
		if (actor >= 0)
			return fio->actors[actor].job;
	}
	return FIO_NOBODY;
}

void fio_free(struct fio *fio)
{
	free(fio->actors);
	free(fio->processes);
	free(fio->pairs);
	free(fio->jobs);
	hash_index_close(&fio->by_thread);
	hash_index_close(&fio->by_pid);
	hash_index_close(&fio->by_pair);
	fio_opens_free(&fio->opens);
	interned_free(&fio->names);
	pool_free(&fio->pool);
	*fio = (struct fio){ .n_jobs = 0 };
}
