/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the threads that read segments: each takes the next one until there is none. */
#include "read/read_parallel.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/read_segment.h"

enum { MAX_THREADS = 256 };

struct pool {
	const struct read_parallel *read;
	pthread_mutex_t lock; /* of what follows */
	unsigned query;
	unsigned segment;
	struct read_totals *totals;
};

struct worker {
	struct pool *pool;
	unsigned thread;
	struct rows_file file;
	char first_bad[LAYOUT_WHY_SIZE + 32];
};

unsigned read_threads(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

/* The next segment, by the order of queries and of segments in each. */
static bool take_task(struct worker *worker, struct read_task *task)
{
	struct pool *pool = worker->pool;
	const struct read_parallel *read = pool->read;
	bool found = false;

	pthread_mutex_lock(&pool->lock);
	for (; pool->query < read->n_queries && !found; pool->query += !found) {
		const struct read_query *query = &read->queries[pool->query];
		const struct read_stream *stream = &read->session->streams[query->stream];

		found = pool->segment < stream->n_segments;
		if (found)
			*task = (struct read_task){ .query = query,
						    .segment = &stream->segments[pool->segment],
						    .index = pool->segment,
						    .thread = worker->thread };
		pool->segment = found ? pool->segment + 1 : 0;
	}
	pthread_mutex_unlock(&pool->lock);
	return found;
}

static int read_rows(struct worker *worker, const struct read_task *task)
{
	const struct read_parallel *read = worker->pool->read;
	struct rows_file *file = &worker->file;
	int result;

	while ((result = rows_file_next(file)) > 0) {
		if (result == ROWS_ROW)
			read->row(read->arg, task, file->fields);
		else if (file->n_bad == 1)
			memcpy(worker->first_bad, file->why, sizeof(worker->first_bad));
	}
	return result;
}

static void add_totals(struct worker *worker, const struct read_segment *segment, int err)
{
	struct read_totals *totals = worker->pool->totals;
	const struct rows_file *file = &worker->file;

	pthread_mutex_lock(&worker->pool->lock);
	totals->rows += file->n - file->n_bad;
	totals->bad_rows += file->n_bad;
	totals->bytes += file->source.bytes;
	totals->unreadable += err || (segment && read_segment_is_short(segment, file));
	pthread_mutex_unlock(&worker->pool->lock);
}

static void read_segment(struct worker *worker, const struct read_task *task)
{
	const struct read_parallel *read = worker->pool->read;
	const struct read_session *session = read->session;
	struct rows_file *file = &worker->file;
	enum packing packing;
	int fd = read_segment_open(session, task->segment, &packing);
	int err;

	/* zeroed also where it is not opened: rows_file_close() and the totals take it as closed */
	memset(file, 0, sizeof(*file));
	if (fd < 0) {
		add_totals(worker, NULL,
			   fd == -ENOENT && session->state == READ_RECORDING ? 0 : fd);
		return;
	}
	err = rows_file_open(file, fd, packing, task->query->columns, task->query->n_columns, NULL);
	if (!err)
		err = read_rows(worker, task);
	if (err)
		read_segment_failed(session, task->segment, err);
	else
		read_segment_report(session, task->segment, file, worker->first_bad);
	if (read->end)
		read->end(read->arg, task, file);
	add_totals(worker, task->segment, err);
	rows_file_close(file);
	close(fd);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct read_task task;

	while (take_task(worker, &task))
		read_segment(worker, &task);
	return NULL;
}

/* The caller's thread is the first worker; fewer than asked for are no failure. */
int read_parallel(const struct read_parallel *read, struct read_totals *totals)
{
	unsigned n = read->n_threads < 1           ? 1 :
		     read->n_threads > MAX_THREADS ? MAX_THREADS :
						     read->n_threads;
	struct pool pool = { .read = read, .lock = PTHREAD_MUTEX_INITIALIZER, .totals = totals };
	struct worker *workers = calloc(n, sizeof(*workers));
	pthread_t threads[MAX_THREADS];
	unsigned n_begun = 1;

	memset(totals, 0, sizeof(*totals));
	if (!workers)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		workers[i] = (struct worker){ .pool = &pool, .thread = i };
	while (n_begun < n && !pthread_create(&threads[n_begun], NULL, work, &workers[n_begun]))
		n_begun++;
	work(&workers[0]);
	for (unsigned i = 1; i < n_begun; i++)
		pthread_join(threads[i], NULL);
	free(workers);
	return 0;
}
