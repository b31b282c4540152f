/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the thread and the clock of the intervals. */
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
#include "base/clock.h"
#include "base/log.h"

enum { MAX_BLOCKS = 64, START_MS = 20, KEYS_MS = 50 };
enum { PARTS_UNUSED = 1 << OP_TIME | 1 << OP_TID | 1 << OP_OFFSET };

struct top {
	struct top_options options;
	struct row_queue *queue;
	struct operations *operations;
	struct top_model *model; /* of this interval */
	struct top_model *shown; /* of one before */
	pthread_t thread;
	bool running;
	bool stuck;          /* in writing; the end of the process ends it */
	int ready;           /* the recorder's: it goes on now */
	uint64_t stopped_ns; /* the recorder's: when the last interval ended, 0: not yet */
	int done;            /* the thread's, which others read: nothing is shown any more */
	int err;

	/* the thread's own */
	bool begun;
	uint64_t began_ns; /* the interval, */
	uint64_t cpu_ns;   /* and what this process had used by then */
	uint64_t dropped;
	uint64_t damaged;
	uint64_t n_rounds;
	struct top_choice choice;
	struct top_round round;
};

/* ---- a round ---- */

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

static uint64_t stopped_ns(const struct top *top)
{
	return __atomic_load_n(&top->stopped_ns, __ATOMIC_ACQUIRE);
}

static uint64_t interval_ns(const struct top *top)
{
	uint64_t stopped = stopped_ns(top), now = stopped ? stopped : mono_ns();

	return now > top->began_ns ? now - top->began_ns : 0;
}

static void begin_interval(struct top *top)
{
	top_model_reset(top->model);
	top->dropped = top->damaged = 0;
	top->began_ns = mono_ns();
	top->cpu_ns = cpu_ns();
	top->begun = true;
}

/* What came in the interval is what is shown from now on. */
static void close_interval(struct top *top)
{
	struct top_model *empty = top->shown;
	uint64_t ns = interval_ns(top);

	top->round = (struct top_round){
		.wall = time(NULL),
		.ns = ns,
		.sums = top_model_sums(top->model),
		.dropped = top->dropped + top->damaged,
		.own_cpu = ns ? 100.0 * (double)(cpu_ns() - top->cpu_ns) / (double)ns : 0,
	};
	top->shown = top->model;
	top->model = empty;
}

static void show(struct top *top)
{
	const struct top_options *o = &top->options;
	struct top_round *round = &top->round;

	round->view = top->choice.view;
	round->sort = top->choice.sort;
	round->frozen = top->choice.frozen;
	round->n = top_model_rows(top->shown, round->view, round->sort, &round->rows);
	if (o->display)
		o->display->show(o->display_arg, round);
	else
		top->err = top_print(round, o->out, o->format, o->n_rows, !top->n_rounds);
}

static void finish(struct top *top, int how)
{
	__atomic_store_n(&top->done, how, __ATOMIC_RELEASE);
}

static void end_round(struct top *top)
{
	if (!top->choice.frozen) {
		close_interval(top);
		show(top);
	}
	if (top->err)
		finish(top, TOP_DONE);
	if (__atomic_add_fetch(&top->n_rounds, 1, __ATOMIC_RELEASE) == top->options.rounds)
		finish(top, TOP_DONE);
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
	uint64_t past = interval_ns(top), all = top->options.interval_ns;
	unsigned ms = all > past ? (unsigned)((all - past) / 1000000 + 1) : 0;

	if (!top->begun || stopped_ns(top))
		return START_MS;
	return top->options.display && ms > KEYS_MS ? KEYS_MS : ms;
}

static void look_at_keys(struct top *top)
{
	const struct top_display *display = top->options.display;
	enum top_wish wish;

	if (!display || top->done)
		return;
	wish = display->turn(top->options.display_arg, &top->choice);
	if (wish == TOP_QUIT)
		finish(top, TOP_ENDED);
	else if (wish == TOP_DRAW && top->n_rounds)
		show(top);
}

static void show_rounds(struct top *top)
{
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
		if (top->begun && !top->done && !stopped_ns(top) &&
		    interval_ns(top) >= top->options.interval_ns)
			end_round(top);
		look_at_keys(top);
	}
	if (top->begun && !top->done && top_model_sums(top->model).ops)
		end_round(top);
}

static void *work(void *arg)
{
	struct top *top = arg;
	const struct top_display *display = top->options.display;

	if (display && !display->begin(top->options.display_arg)) {
		top->err = ENOTTY;
		finish(top, TOP_ENDED);
	}
	show_rounds(top);
	if (display)
		display->end(top->options.display_arg);
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
		top->shown = top_model_open();
		top->choice = (struct top_choice){ .view = options->view, .sort = options->sort };
		if (top->queue && top->operations && top->model && top->shown)
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

enum top_state top_tick(struct top *top)
{
	__atomic_store_n(&top->ready, 1, __ATOMIC_RELEASE);
	row_queue_tick(top->queue);
	return (enum top_state)__atomic_load_n(&top->done, __ATOMIC_ACQUIRE);
}

void top_stopping(struct top *top)
{
	__atomic_store_n(&top->stopped_ns, mono_ns(), __ATOMIC_RELEASE);
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
	top_model_close(top->shown);
	free(top);
	return err;
}
