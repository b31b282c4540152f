/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the thread that writes lines. It may be blocked in write(2) for as long as it likes:
 * descriptors that others share are not made non-blocking behind their back.
 */
#include "analysis/watch/watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/common/join_writer.h"
#include "analysis/common/operation_line.h"
#include "analysis/common/row_queue.h"
#include "base/log.h"
#include "base/thread.h"
#include "row/format.h"

enum {
	MAX_BLOCKS = 32,        /* 8 MiB: what happens while a reader looks away for a moment */
	FLUSH_SIZE = 32 * 1024, /* more is not collected */
	TAKE_MS = 1000,
};

struct watch {
	struct watch_options options;
	struct row_queue *queue;
	struct operations *operations;
	pthread_t thread;
	bool running;
	bool stuck;    /* in write(2); the end of the process ends it */
	uint64_t rows; /* the recorder's */

	/* the thread's, which others read */
	uint64_t lines;
	uint64_t damaged;
	int err;

	/* the thread's own */
	bool begun;
	unsigned width;
	unsigned waiting; /* lines in out */
	size_t used;
	char out[FLUSH_SIZE + OPERATION_LINE_MAX];
};

/* ---- the thread ---- */

static unsigned terminal_width(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static void flush(struct watch *w)
{
	size_t done = 0;
	ssize_t n;

	while (done < w->used && !w->err) {
		n = write(w->options.fd, w->out + done, w->used - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			__atomic_store_n(&w->err, errno, __ATOMIC_RELEASE);
	}
	if (!w->err)
		__atomic_fetch_add(&w->lines, w->waiting, __ATOMIC_RELEASE);
	w->waiting = 0;
	w->used = 0;
}

static void add_line(struct watch *w, const struct operation *op)
{
	if (w->options.json)
		w->used += operation_line_json(w->out + w->used, op);
	else
		w->used += operation_line_text(w->out + w->used, op, w->width, w->options.colour);
	w->waiting++;
	if (w->used >= FLUSH_SIZE)
		flush(w);
}

/* In its place, between the lines. */
static void add_dropped(struct watch *w, uint64_t n)
{
	const char *before = w->options.json ? "{\"dropped\":" : "-- ";
	const char *after = w->options.json ?
				    "}\n" :
				    " rows dropped: they came faster than the lines are read\n";
	char *p = w->out + w->used;

	if (!n)
		return;
	p = put_word(p, before);
	p = put_u(p, n);
	p = put_word(p, after);
	w->used = (size_t)(p - w->out);
}

static void add_block(struct watch *w, const struct row_block *block)
{
	struct operation op;
	struct row_view row;
	unsigned at = 0;

	if (!w->begun && !w->options.json)
		w->used = (size_t)(put_word(w->out, operation_line_header) - w->out);
	w->begun = true;
	add_dropped(w, row_block_dropped(block));
	while (!w->err && row_block_next(block, &at, &row)) {
		if (operations_read(w->operations, row.stream, row.row, row.len, &op))
			add_line(w, &op);
		else
			__atomic_fetch_add(&w->damaged, 1, __ATOMIC_RELAXED);
	}
}

static void *work(void *arg)
{
	struct watch *w = arg;
	struct row_block *block;
	bool ended = false;

	while (!ended) {
		/* again and again, because a window changes its size */
		w->width = terminal_width(w->options.fd);
		block = row_queue_take(w->queue, TAKE_MS, &ended);
		if (!block)
			continue;
		add_block(w, block);
		row_queue_give_back(w->queue, block);
		flush(w);
	}
	flush(w);
	return NULL;
}

/* ---- the recorder ---- */

static int start(struct watch *w)
{
	int err = thread_start(&w->thread, work, w);

	w->running = !err;
	return err;
}

struct watch *watch_open(const struct watch_options *options)
{
	struct watch *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	if (w) {
		w->options = *options;
		w->queue = row_queue_open(MAX_BLOCKS);
		w->operations = operations_open(ALL_OPERATION_PARTS);
		err = w->queue && w->operations ? start(w) : -ENOMEM;
	}
	if (!err)
		return w;
	log_error("cannot start: %s", strerror(-err));
	watch_close(w);
	return NULL;
}

void watch_row(struct watch *w, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	w->rows++;
	row_queue_push(w->queue, stream, row, len, key);
}

bool watch_tick(struct watch *w)
{
	row_queue_tick(w->queue);
	return !__atomic_load_n(&w->err, __ATOMIC_ACQUIRE);
}

void watch_end(struct watch *w, bool interrupted)
{
	row_queue_end(w->queue);
	w->stuck = w->running && !join_writer(w->thread, &w->lines, interrupted);
	w->running = false;
}

struct watch_totals watch_totals(const struct watch *w)
{
	return (struct watch_totals){
		.rows = w->rows,
		.lines = __atomic_load_n(&w->lines, __ATOMIC_ACQUIRE),
		.damaged = __atomic_load_n(&w->damaged, __ATOMIC_RELAXED),
		.err = __atomic_load_n(&w->err, __ATOMIC_ACQUIRE),
	};
}

void watch_close(struct watch *w)
{
	/* its thread may go on at any time, and use all of it */
	if (!w || w->stuck)
		return;
	if (w->running) {
		row_queue_end(w->queue);
		pthread_join(w->thread, NULL);
	}
	row_queue_close(w->queue);
	operations_close(w->operations);
	free(w);
}
