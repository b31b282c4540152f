/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who did what when, and which of fio's jobs repeats it. A job does one thing after the other, all
 * with the same options: threads that were never busy at the same time share one, and one that
 * wrote in several ways (O_DIRECT, io_uring) has several.
 */
#pragma once

#include "analysis/common/hash_index.h"
#include "analysis/common/interned.h"
#include "analysis/fio/fio_opens.h"
#include "analysis/fio/fio_rows.h"

enum {
	FIO_MAX_JOBS = 4096, /* of fio itself, REAL_MAX_JOBS */
	FIO_MAX_DEPTH = 256,
};

/* A thread in one of its ways. */
struct fio_actor {
	uint64_t first_ns, end_ns; /* of what it did */
	uint64_t n;
	uint64_t *ends; /* of what is in flight, where it need not wait; NULL: it waits */
	const char *command;
	uint32_t pid, tid;
	uint32_t job;
	uint16_t in_flight, depth;
	uint8_t klass;
};

struct fio_job {
	const char *command; /* of its first thread */
	uint32_t pid, tid, n_threads;
	uint64_t first_ns, end_ns;
	uint16_t depth;
	uint8_t klass;
};

/* A set of numbers; all zero is empty. */
struct fio_set {
	uint64_t *list;
	uint64_t n, max;
	struct hash_index index;
};

/* All zero is empty. */
struct fio {
	struct fio_actor *actors;
	uint64_t n_actors, max_actors;
	struct hash_index by_thread;
	struct fio_set together; /* rows, see fio_is_together() */
	struct fio_set in_turn;  /* files, by the hash of their paths, see fio_is_in_turn() */
	uint64_t n_rows;
	struct fio_opens opens;
	struct fio_opens files; /* as if each were open once */
	struct fio_job *jobs;
	uint64_t n_jobs, max_jobs;
	struct pool pool;
	struct interned names;
	uint64_t first_ns;
	bool no_memory;
};

/* A row, in the order of time. */
void fio_add(struct fio *fio, const struct fio_row *row);
/* After the last one: 0, -ENOMEM, or -E2BIG: more jobs than fio takes. */
int fio_make_jobs(struct fio *fio);
/*
 * The job that does a row; without one of its kind (an OPEN), any of the thread's. FIO_NOBODY:
 * it has none.
 */
uint32_t fio_job_of(const struct fio *fio, const struct fio_row *row);
/* Whether the job is one of those of the row's thread. */
bool fio_has_job(const struct fio *fio, const struct fio_row *row, uint32_t job);
/*
 * An open file that several threads use one after the other stays with one job: fio has a
 * descriptor for each job, and whether a read is sequential depends on all that was done through
 * it. row: the number of the one in which it is used first, from 0 on.
 */
bool fio_is_together(const struct fio *fio, uint64_t row);
/*
 * A file that several threads write to one after the other, as a lock has it (the WAL of a database), stays with
 * the job that uses it first: so its writes keep their order, which times alone do not tell so exactly.
 */
bool fio_is_in_turn(const struct fio *fio, const char *path, uint32_t len);
void fio_free(struct fio *fio);
