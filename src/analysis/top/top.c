/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the clock of the intervals, and the models on their way: who records adds up into one; a
 * thread shows one that is over, and gives it back. Until it has taken that, an interval goes on.
 */
#include "analysis/top/top.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/common/join_writer.h"
#include "analysis/top/top_users.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "events/events.h"

/* Intervals: one that is filled, one that is shown, and one on its way between them. */
enum { KEYS_MS = 50, N_INTERVALS = 3 };
enum { PARTS_UNUSED = 1 << OP_TIME | 1 << OP_OFFSET };

struct interval {
	struct top_model *model;
	struct top_round round; /* once it is over */
};

struct top {
	struct top_options options;
	struct events_values values;
	struct top_containers *containers; /* the recorder's */
	struct interval intervals[N_INTERVALS];
	pthread_t thread;
	bool running;
	bool stuck; /* in writing; the end of the process ends it */
	int done;   /* the thread's, which the recorder reads: nothing is shown any more */
	int err;

	/* the recorder's own */
	struct interval *filling;
	bool begun;
	uint64_t began_ns; /* the interval, */
	uint64_t cpu_ns;   /* and what this process had used by then */
	uint64_t stopped_ns;
	struct top_disks disks, disks_now; /* when the interval began, and now */
	struct top_disk_use uses[TOP_MAX_DISKS];

	pthread_mutex_t lock; /* of the part below, down to the next blank line */
	pthread_cond_t changed;
	struct interval *over, *last; /* not shown yet: one, and the last of all */
	struct interval *empty;
	bool ended;

	/* the thread's own */
	struct interval *shown;
	uint64_t n_rounds;
	struct top_choice choice;
};

/* ---- who records ---- */

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

static uint64_t interval_ns(const struct top *top)
{
	uint64_t now = top->stopped_ns ? top->stopped_ns : mono_ns();

	return now > top->began_ns ? now - top->began_ns : 0;
}

static void begin_interval(struct top *top)
{
	top_containers_reset(top->containers);
	/* what is read of disks has a time of its own, which is to be that of the interval */
	if (!top->begun)
		top_disks_read(&top->disks, "");
	top->began_ns = mono_ns();
	top->cpu_ns = cpu_ns();
	top->begun = true;
}

static void close_interval(struct top *top)
{
	uint64_t ns = interval_ns(top);

	top_disks_read(&top->disks_now, "");
	top_model_add_disks(top->filling->model, top->uses,
			    top_disks_use(&top->disks, &top->disks_now, "", top->uses));
	top->disks = top->disks_now;
	top->filling->round = (struct top_round){
		.wall = time(NULL),
		.ns = ns,
		.sums = top_model_sums(top->filling->model),
		.own_cpu = ns ? 100.0 * (double)(cpu_ns() - top->cpu_ns) / (double)ns : 0,
	};
}

static void take_values(void *arg, enum stream_id stream, const struct field *values)
{
	struct top *top = arg;

	if (!top->begun)
		begin_interval(top);
	top_model_feed(top->filling->model, &(const struct operation){ stream, values });
}

/* An interval that is over goes to the thread, unless that still has the one before. */
static void publish_interval(struct top *top)
{
	pthread_mutex_lock(&top->lock);
	if (!top->over && top->empty) {
		close_interval(top);
		top->over = top->filling;
		top->filling = top->empty;
		top->empty = NULL;
		begin_interval(top);
		pthread_cond_signal(&top->changed);
	}
	pthread_mutex_unlock(&top->lock);
}

enum top_state top_tick(struct top *top)
{
	enum top_state done = (enum top_state)__atomic_load_n(&top->done, __ATOMIC_ACQUIRE);

	if (!top->begun)
		begin_interval(top);
	if (!done && !top->stopped_ns && interval_ns(top) >= top->options.interval_ns)
		publish_interval(top);
	return done;
}

void top_stopping(struct top *top)
{
	top->stopped_ns = mono_ns();
}

void top_end(struct top *top, bool interrupted)
{
	if (!top->running)
		return;
	pthread_mutex_lock(&top->lock);
	if (top->begun && top_model_sums(top->filling->model).ops) {
		close_interval(top);
		top->last = top->filling;
	}
	top->ended = true;
	pthread_cond_signal(&top->changed);
	pthread_mutex_unlock(&top->lock);
	top->stuck = !join_writer(top->thread, &top->n_rounds, interrupted);
	top->running = false;
}

/* ---- the thread ---- */

static void finish(struct top *top, int how)
{
	__atomic_store_n(&top->done, how, __ATOMIC_RELEASE);
}

/* 8:0 is sda: once for each device that is shown. */
static bool device_name(const char *number, size_t len, char out[32])
{
	char path[64], target[256];
	const char *name;
	ssize_t n;

	if (len > 24)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%.*s", (int)len, number);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	return snprintf(out, 32, "%s", name) < 32;
}

static void show(struct top *top)
{
	const struct top_options *o = &top->options;
	struct top_round *round = &top->shown->round;

	round->view = top->choice.view;
	round->sort = top->choice.sort;
	round->frozen = top->choice.frozen;
	round->file = round->view == TOP_FILES && top->choice.file.chosen ? &top->choice.file :
									    NULL;
	round->n =
		round->file ?
			top_model_users(top->shown->model, round->file, round->sort, &round->rows) :
			top_model_rows(top->shown->model, round->view, round->sort, &round->rows);
	if (round->view == TOP_DEVICES)
		top_model_name_devices(top->shown->model, device_name);
	if (o->display)
		o->display->show(o->display_arg, round);
	else
		top->err = top_print(round, o->out, o->format, o->n_rows, !top->n_rounds);
}

static void give_back(struct top *top, struct interval *interval)
{
	top_model_reset(interval->model);
	pthread_mutex_lock(&top->lock);
	top->empty = interval;
	pthread_mutex_unlock(&top->lock);
}

/* What is frozen stays on the screen, and what came since is not shown. */
static void end_round(struct top *top, struct interval *interval)
{
	struct interval *before = top->shown;

	if (top->choice.frozen) {
		give_back(top, interval);
	} else {
		top->shown = interval;
		show(top);
		/* the first time there is none, but one that was never used */
		give_back(top, before ? before : &top->intervals[N_INTERVALS - 1]);
	}
	if (top->err)
		finish(top, TOP_DONE);
	if (__atomic_add_fetch(&top->n_rounds, 1, __ATOMIC_RELEASE) == top->options.rounds)
		finish(top, TOP_DONE);
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
	else if (wish == TOP_DRAW && top->shown)
		show(top);
}

/* Waits for an interval, with keys to look at not for long. NULL: none came; *ended: none will. */
static struct interval *next_interval(struct top *top, bool *ended)
{
	uint64_t until_ns = mono_ns() + KEYS_MS * (NS_PER_S / 1000);
	struct timespec until = { (time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S) };
	struct interval *interval;
	int err = 0;

	pthread_mutex_lock(&top->lock);
	while (!top->over && !top->ended && !err)
		err = top->options.display ?
			      pthread_cond_timedwait(&top->changed, &top->lock, &until) :
			      pthread_cond_wait(&top->changed, &top->lock);
	interval = top->over;
	top->over = NULL;
	if (!interval && top->ended) {
		interval = top->last;
		top->last = NULL;
	}
	*ended = !interval && top->ended;
	pthread_mutex_unlock(&top->lock);
	return interval;
}

static void show_rounds(struct top *top)
{
	struct interval *interval;
	bool ended = false;

	while (!ended) {
		interval = next_interval(top, &ended);
		if (interval && !top->done)
			end_round(top, interval);
		else if (interval)
			give_back(top, interval);
		look_at_keys(top);
	}
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

static int start(struct top *top)
{
	int err = thread_start(&top->thread, work, top);

	top->running = !err;
	return err;
}

/* ---- its life ---- */

static bool open_models(struct top *top)
{
	bool ok;

	top->containers = top_containers_open("/proc", "");
	ok = top->containers;
	for (unsigned i = 0; i < N_INTERVALS; i++) {
		top->intervals[i].model = top_model_open(top->containers);
		ok = ok && top->intervals[i].model;
	}
	top->filling = &top->intervals[0];
	top->empty = &top->intervals[1];
	return ok;
}

static void open_lock(struct top *top)
{
	pthread_mutex_init(&top->lock, NULL);
	thread_cond_init(&top->changed);
}

struct top *top_open(const struct top_options *options)
{
	struct top *top = calloc(1, sizeof(*top));
	int err = -ENOMEM;

	if (top) {
		top->options = *options;
		top->choice = (struct top_choice){ .view = options->view, .sort = options->sort };
		top->values = (struct events_values){ .fn = take_values, .arg = top };
		operation_places(top->values.place, ~(unsigned)PARTS_UNUSED);
		open_lock(top);
		if (open_models(top))
			err = start(top);
	}
	if (!err)
		return top;
	log_error("cannot start: %s", strerror(-err));
	if (top)
		top_close(top);
	return NULL;
}

const struct events_values *top_wants(const struct top *top)
{
	return &top->values;
}

int top_close(struct top *top)
{
	int err = top->err;

	top_end(top, true);
	/* its thread may go on at any time, and use all of it */
	if (top->stuck)
		return 0;
	for (unsigned i = 0; i < N_INTERVALS; i++)
		top_model_close(top->intervals[i].model);
	pthread_cond_destroy(&top->changed);
	pthread_mutex_destroy(&top->lock);
	top_containers_close(top->containers);
	free(top);
	return err;
}
