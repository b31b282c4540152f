/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the thread, the clock of the intervals, and the columns of their tables. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/top.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/join_writer.h"
#include "analysis/row_queue.h"
#include "analysis/table.h"
#include "base/clock.h"
#include "base/log.h"

enum { MAX_BLOCKS = 64, START_MS = 20 };
enum { PARTS_UNUSED = 1 << OP_TIME | 1 << OP_TID | 1 << OP_OFFSET };

struct top {
	struct top_options options;
	struct row_queue *queue;
	struct operations *operations;
	struct top_model *model;
	pthread_t thread;
	bool running;
	bool stuck; /* in writing; the end of the process ends it */
	int ready;  /* the recorder's: it goes on now */
	int done;   /* the thread's, which others read: nothing is printed any more */
	int err;

	/* the thread's own */
	bool begun;
	uint64_t began_ns; /* the interval, */
	uint64_t cpu_ns;   /* and what this process had used by then */
	uint64_t dropped;
	uint64_t damaged;
	uint64_t n_rounds;
};

/* ---- a round ---- */

static const struct table_column columns[] = {
	{ "ops/s", TABLE_COUNT },    { "reads/s", TABLE_COUNT },   { "read/s", TABLE_BYTES },
	{ "writes/s", TABLE_COUNT }, { "written/s", TABLE_BYTES }, { "errors", TABLE_COUNT },
	{ "mean", TABLE_NS },        { "max", TABLE_NS },          { "name", TABLE_NAME },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

/* Rounded, so that a single one in two seconds is not none. */
static uint64_t per_second(uint64_t n, uint64_t ns)
{
	return ns ? (uint64_t)((double)n * NS_PER_S / (double)ns + 0.5) : n;
}

static struct table_value number(uint64_t u)
{
	return (struct table_value){ .known = true, .u = u };
}

static void print_row(struct table *table, const struct top_row *row, uint64_t ns)
{
	const struct table_value values[N_COLUMNS] = {
		number(per_second(row->ops, ns)),
		number(per_second(row->reads, ns)),
		number(per_second(row->read_bytes, ns)),
		number(per_second(row->writes, ns)),
		number(per_second(row->write_bytes, ns)),
		number(row->errors),
		{ .known = row->timed, .u = row->timed ? row->ns / row->timed : 0 },
		{ .known = row->timed, .u = row->max_ns },
		{ .known = true, .text = row->name, .len = row->len },
	};

	table_row(table, values);
}

/* Rates, what is missing, and our own cost. */
static void print_status(const struct top *top, uint64_t ns, unsigned n)
{
	struct top_sums sums = top_model_sums(top->model);
	char when[16];
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%H:%M:%S", &tm);
	fprintf(top->options.out,
		"%s%s  %s: %u  operations/s: %llu  lost: %llu  dropped: %llu  own CPU: %.1f%%\n",
		top->n_rounds ? "\n" : "", when, top_view_names[top->options.view], n,
		(unsigned long long)per_second(sums.ops, ns), (unsigned long long)sums.lost,
		(unsigned long long)(top->dropped + top->damaged),
		ns ? 100.0 * (double)(cpu_ns() - top->cpu_ns) / (double)ns : 0);
}

static void begin_interval(struct top *top)
{
	top_model_reset(top->model);
	top->dropped = top->damaged = 0;
	top->began_ns = mono_ns();
	top->cpu_ns = cpu_ns();
	top->begun = true;
}

static void print_round(struct top *top)
{
	const struct top_options *o = &top->options;
	uint64_t ns = mono_ns() - top->began_ns;
	const struct top_row *rows;
	struct table table;
	unsigned n = top_model_rows(top->model, o->view, o->sort, &rows);

	print_status(top, ns, n);
	table_begin(&table, o->out, TABLE_TEXT, columns, N_COLUMNS);
	for (unsigned i = 0; i < n && (!o->n_rows || i < o->n_rows); i++)
		print_row(&table, &rows[i], ns);
	if (table_end(&table) || fflush(o->out) || ferror(o->out)) {
		top->err = errno ? errno : ENOMEM;
		__atomic_store_n(&top->done, 1, __ATOMIC_RELEASE);
	}
	if (__atomic_add_fetch(&top->n_rounds, 1, __ATOMIC_RELEASE) == o->rounds)
		__atomic_store_n(&top->done, 1, __ATOMIC_RELEASE);
	begin_interval(top);
}

/* ---- the thread ---- */

static void feed(struct top *top, const struct row_block *block)
{
	struct operation op;
	struct row_view row;

	top->dropped += row_block_dropped(block);
	for (unsigned at = 0; row_block_next(block, &at, &row);) {
		if (operations_read(top->operations, row.stream, row.row, row.len, &op))
			top_model_feed(top->model, &op);
		else
			top->damaged++;
	}
}

static unsigned wait_ms(const struct top *top)
{
	uint64_t now = mono_ns(), due = top->began_ns + top->options.interval_ns;

	if (!top->begun)
		return START_MS;
	return due > now ? (unsigned)((due - now) / 1000000 + 1) : 0;
}

static void *work(void *arg)
{
	struct top *top = arg;
	struct row_block *block;
	bool ended = false;

	while (!ended) {
		block = row_queue_take(top->queue, wait_ms(top), &ended);
		if (!top->begun && (block || __atomic_load_n(&top->ready, __ATOMIC_ACQUIRE)))
			begin_interval(top);
		if (block && !top->done)
			feed(top, block);
		if (block)
			row_queue_give_back(top->queue, block);
		if (top->begun && !top->done &&
		    mono_ns() - top->began_ns >= top->options.interval_ns)
			print_round(top);
	}
	if (top->begun && !top->done && top_model_sums(top->model).ops)
		print_round(top);
	return NULL;
}

/* Signals are for the recorder's thread. */
static int start(struct top *top)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&top->thread, NULL, work, top);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	top->running = !err;
	return -err;
}

/* ---- the recorder ---- */

struct top *top_open(const struct top_options *options)
{
	struct top *top = calloc(1, sizeof(*top));
	int err = -ENOMEM;

	if (top) {
		top->options = *options;
		top->queue = row_queue_open(MAX_BLOCKS);
		top->operations = operations_open(~PARTS_UNUSED);
		top->model = top_model_open();
		if (top->queue && top->operations && top->model)
			err = start(top);
	}
	if (!err)
		return top;
	log_error("cannot begin: %s", strerror(-err));
	if (top)
		top_close(top);
	return NULL;
}

void top_row(struct top *top, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	row_queue_push(top->queue, stream, row, len, key);
}

bool top_tick(struct top *top)
{
	__atomic_store_n(&top->ready, 1, __ATOMIC_RELEASE);
	row_queue_tick(top->queue);
	return !__atomic_load_n(&top->done, __ATOMIC_ACQUIRE);
}

void top_end(struct top *top, bool interrupted)
{
	if (!top->running)
		return;
	row_queue_end(top->queue);
	top->stuck = !join_writer(top->thread, &top->n_rounds, interrupted);
	top->running = false;
}

int top_close(struct top *top)
{
	int err = top->err;

	top_end(top, true);
	if (top->stuck)
		return 0;
	row_queue_close(top->queue);
	operations_close(top->operations);
	top_model_close(top->model);
	free(top);
	return err;
}
