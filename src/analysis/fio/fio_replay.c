/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns which file a job has open when, and the lines of its log. A file is opened by the job that
 * first uses it, whoever opened it: threads hand descriptors to one another, fio's jobs do not.
 */
#include "analysis/fio/fio_replay.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"

enum { FIRST_ROOM = 64 };

#define NO_RANGE UINT64_MAX

/* ---- files of a job ---- */

static bool is_use(const void *owner, uint32_t item, const void *key)
{
	const struct fio_use *use = &((const struct fio_replay *)owner)->uses[item], *wanted = key;

	return use->file == wanted->file && use->job == wanted->job;
}

static struct fio_use *use_of(struct fio_replay *r, uint32_t file, uint32_t job)
{
	const struct fio_use wanted = { .file = file, .job = job };
	uint64_t hash = hash_mix(file, job);
	int64_t found = hash_index_find(&r->by_use, hash, is_use, r, &wanted);

	if (found >= 0)
		return &r->uses[found];
	if (!grow(&r->uses, &r->max_uses, r->n_uses + 1, FIRST_ROOM, sizeof(*r->uses)) ||
	    !hash_index_room(&r->by_use)) {
		r->no_memory = true;
		return NULL;
	}
	r->uses[r->n_uses] = wanted;
	hash_index_add(&r->by_use, hash, r->n_uses);
	return &r->uses[r->n_uses++];
}

/*
 * "add" once for each slot, before anything else is done with it. Where all slots are taken, what is done
 * goes through the first one, which is open.
 */
static void open_in(struct fio_replay *r, struct fio_open *open, uint32_t job, uint64_t ns)
{
	struct fio_use *use = use_of(r, open->file, job);
	struct fio_file *file = &r->files.list[open->file];

	if (!use)
		return;
	open->user = job;
	open->slot = 0;
	while (open->slot < FIO_MAX_SLOTS && use->open & 1u << open->slot)
		open->slot++;
	if (open->slot == FIO_MAX_SLOTS) {
		r->crowded++;
		return;
	}
	if (!(use->added & 1u << open->slot))
		fio_log_line(&r->logs, job, ns, file->name, open->slot, "add", 0, NO_RANGE);
	fio_log_line(&r->logs, job, ns, file->name, open->slot, "open", 0, NO_RANGE);
	use->added |= 1u << open->slot;
	use->open |= 1u << open->slot;
	r->logs.list[job].opens++;
	file->shared = file->shared || (file->used && file->job != job);
	if (!file->used)
		file->job = job;
	file->used = true;
}

static void close_in(struct fio_replay *r, const struct fio_open *open, uint64_t ns)
{
	struct fio_use *use = use_of(r, open->file, open->user);

	if (!use || open->slot == FIO_MAX_SLOTS)
		return;
	fio_log_line(&r->logs, open->user, ns, r->files.list[open->file].name, open->slot, "close",
		     0, NO_RANGE);
	use->open &= ~(1u << open->slot);
}

/* ---- rows ---- */

/* In no job yet: the first that uses it opens it. */
static struct fio_open *add_open(struct fio_replay *r, const struct fio_row *row)
{
	int64_t file = fio_file_at(&r->files, row->path, row->path_len);
	struct fio_open *open = file < 0 ? NULL : fio_opens_add(&r->opens, row->key);

	if (!open) {
		r->no_memory = true;
		return NULL;
	}
	open->file = (uint32_t)file;
	return open;
}

/* In all jobs; one that no job used is opened where it is closed. */
static void close_all(struct fio_replay *r, const struct fio_row *row)
{
	struct fio_open *open;

	while ((open = fio_opens_find(&r->opens, row->key))) {
		if (open->user == FIO_NOBODY) {
			uint32_t job = fio_job_of(r->fio, row);

			if (job != FIO_NOBODY)
				open_in(r, open, job, row->ns);
			else
				r->left[IOT_OPEN][FIO_IDLE]++;
		}
		if (open->user != FIO_NOBODY)
			close_in(r, open, row->ns);
		fio_opens_remove(&r->opens, open);
	}
}

/*
 * Open in the job, or, if it stays with another one, there. Pending is what was opened and not used
 * yet: it goes to the first that uses it.
 */
static struct fio_open *opened_for(struct fio_replay *r, const struct fio_row *row, uint32_t job)
{
	struct fio_open *open = fio_opens_find(&r->opens, row->key);
	bool used = open && open->user != FIO_NOBODY;

	while (open && open->user != job && open->user != FIO_NOBODY && !open->together)
		open = fio_opens_next(open);
	if (open && open->user != FIO_NOBODY)
		return open;
	if (!open) {
		open = add_open(r, row);
		r->logs.list[job].added_opens++;
	}
	if (!open)
		return NULL;
	open->together = !used && fio_is_together(r->fio, r->n_rows);
	open_in(r, open, job, row->ns);
	return open;
}

static void add_shape(struct fio_replay *r, struct fio_open *open, const struct fio_row *row)
{
	struct fio_use *use = use_of(r, open->file, open->user);

	if (use && !use->shape)
		use->shape = pool_take(&r->files.pool, sizeof(*use->shape));
	if (use && use->shape)
		fio_shape_add(use->shape, row, open->end);
	else
		r->no_memory = true;
}

static void count(struct fio_log *log, enum fio_does does)
{
	log->reads += does == FIO_READ;
	log->writes += does == FIO_WRITE;
	log->syncs += does == FIO_SYNC;
	log->datasyncs += does == FIO_DATASYNC;
}

/* That in which the thread has the file open; FIO_NOBODY: in none. */
static uint32_t job_with_open(const struct fio_replay *r, const struct fio_row *row)
{
	const struct fio_open *open = fio_opens_find(&r->opens, row->key);

	while (open && (open->user == FIO_NOBODY || !fio_has_job(r->fio, row, open->user)))
		open = fio_opens_next(open);
	return open ? open->user : FIO_NOBODY;
}

/* Whose log has it: the thread's, or that of the file. A sync goes where the file is open. */
static uint32_t job_of(struct fio_replay *r, const struct fio_row *row)
{
	uint32_t open = fio_row_syncs(row) ? job_with_open(r, row) : FIO_NOBODY;
	int64_t file = fio_is_in_turn(r->fio, row->path, row->path_len) ?
			       fio_file_at(&r->files, row->path, row->path_len) :
			       -1;

	if (file >= 0 && r->files.list[file].used)
		return r->files.list[file].job;
	return open != FIO_NOBODY ? open : fio_job_of(r->fio, row);
}

static void act(struct fio_replay *r, const struct fio_row *row)
{
	static const char *const actions[N_FIO_DOES] = {
		[FIO_READ] = "read",
		[FIO_WRITE] = "write",
		[FIO_SYNC] = "sync",
		[FIO_DATASYNC] = "datasync",
	};
	struct fio_open *open = opened_for(r, row, job_of(r, row));
	uint32_t job;
	bool moves = row->does == FIO_READ || row->does == FIO_WRITE;
	struct fio_file *file;

	if (!open || r->no_memory)
		return;
	/* it may stay with another job */
	job = open->user;
	file = &r->files.list[open->file];
	if (row->does == FIO_READ && !fio_file_read(&r->files, file, job, row->offset, row->bytes))
		r->no_memory = true;
	if (row->does == FIO_WRITE)
		fio_file_written(file, job, row->offset, row->bytes);
	fio_log_line(&r->logs, job, row->ns, file->name,
		     open->slot == FIO_MAX_SLOTS ? 0 : open->slot, actions[row->does],
		     moves ? row->offset : 0, moves ? row->bytes : 0);
	count(&r->logs.list[job], row->does);
	add_shape(r, open, row);
	r->n++;
	r->short_calls += moves && row->is_short && !row->is_other;
	r->others += moves && row->is_other;
	r->second_files += row->no_second;
}

static void open_row(struct fio_replay *r, const struct fio_row *row)
{
	struct fio_open *open;

	close_all(r, row); /* whose end was not seen */
	open = add_open(r, row);
	if (open && row->creates && !r->files.list[open->file].used)
		r->files.list[open->file].created = true;
}

void fio_replay_row(struct fio_replay *r, const struct fio_row *row)
{
	if (row->does == FIO_NOTHING)
		r->left[row->op][row->left]++;
	else if (row->does == FIO_OPEN)
		open_row(r, row);
	else if (row->does == FIO_CLOSE)
		close_all(r, row);
	else
		act(r, row);
	r->n_rows++;
}

/* fio refuses a log that moves nothing: such a job is dropped, and what it had is counted as left out. */
int fio_replay_end(struct fio_replay *r)
{
	for (uint64_t i = 0; i < r->logs.n; i++) {
		struct fio_log *log = &r->logs.list[i];

		if (fio_log_moves(log)) {
			r->added_opens += log->added_opens;
			continue;
		}
		r->left[IOT_OPEN][FIO_IDLE] += log->opens - log->added_opens;
		r->left[IOT_FSYNC][FIO_IDLE] += log->syncs;
		r->left[IOT_FDATASYNC][FIO_IDLE] += log->datasyncs;
		r->n -= log->syncs + log->datasyncs;
		fio_log_drop(&r->logs, i);
	}
	if (r->no_memory)
		return -ENOMEM;
	return fio_logs_flush(&r->logs);
}

void fio_replay_free(struct fio_replay *r)
{
	fio_files_free(&r->files);
	fio_opens_free(&r->opens);
	fio_logs_free(&r->logs);
	free(r->uses);
	hash_index_close(&r->by_use);
}
