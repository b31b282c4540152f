/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the thread and the rows on their way to it, in blocks: who records copies a row
 * and waits only when all blocks are full.
 */
#include "analysis/summary/summaries.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "analysis/amp/amp_summary.h"
#include "analysis/files/files_summary.h"
#include "analysis/metrics/metrics_summary.h"
#include "analysis/summary/summary_file.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "read/split.h"

enum { MAX_BLOCKS = 64, PUBLISH_EVERY_S = 15 };

const struct summary_kind *const summary_kinds[N_SUMMARY_KINDS] = {
	[SUMMARY_FILES] = &files_summary,
	[SUMMARY_AMP] = &amp_summary,
	[SUMMARY_METRICS] = &metrics_summary,
};

/* Before each row of a block. */
struct row_head {
	uint32_t stream;
	uint32_t len;
};

struct block {
	STAILQ_ENTRY(block) next;
	size_t used;
	char rows[SUMMARY_ROW_MAX + sizeof(struct row_head) + SPLIT_PAD];
};

STAILQ_HEAD(list, block);

struct summaries {
	struct summaries_options options;
	const char *dir;
	int dir_fd;
	struct block *filling; /* the recorder's own */
	unsigned n_blocks;
	pthread_t thread;

	pthread_mutex_t lock; /* of the part below, down to the next blank line */
	pthread_cond_t rows_came;
	pthread_cond_t room_came;
	struct list full, empty;
	bool ending;
	bool handed_over; /* what is published belongs to another recording */
	json_t *news;
	uint64_t bytes;      /* of the tables */
	uint64_t room_taken; /* beside them */

	/* the thread's own */
	void *kinds[N_SUMMARY_KINDS];
	uint64_t due_ns;     /* tables; UINT64_MAX: at the end */
	uint64_t publish_ns; /* what has none, the same */
	bool tables;         /* there are some */
	uint64_t n_bad;
	int err;
};

static struct block *pop(struct list *list)
{
	struct block *block = STAILQ_FIRST(list);

	if (block)
		STAILQ_REMOVE_HEAD(list, next);
	return block;
}

/* ---- rows, by the recorder ---- */

/* The lock is held. */
static struct block *empty_block(struct summaries *s)
{
	struct block *block = pop(&s->empty);

	while (!block && s->n_blocks >= MAX_BLOCKS) {
		pthread_cond_wait(&s->room_came, &s->lock);
		block = pop(&s->empty);
	}
	if (!block) {
		block = malloc(sizeof(*block));
		s->n_blocks += block != NULL;
	}
	return block;
}

static void queue_block(struct summaries *s)
{
	struct block *more;

	pthread_mutex_lock(&s->lock);
	STAILQ_INSERT_TAIL(&s->full, s->filling, next);
	pthread_cond_signal(&s->rows_came);
	more = empty_block(s);
	if (!more) { /* without memory for more those that there are must do */
		s->n_blocks = MAX_BLOCKS;
		more = empty_block(s);
	}
	more->used = 0;
	s->filling = more;
	pthread_mutex_unlock(&s->lock);
}

bool summaries_need_order(const struct summaries_options *options)
{
	for (int i = 0; i < N_SUMMARY_KINDS; i++)
		if (options->wanted[i] &&
		    (summary_kinds[i]->n_streams > 1 || summary_kinds[i]->all_streams))
			return true;
	return false;
}

void summaries_row(struct summaries *s, enum stream_id stream, const char *row, size_t len)
{
	struct row_head head = { (uint32_t)stream, (uint32_t)len };
	bool wanted = false;

	for (int i = 0; i < N_SUMMARY_KINDS; i++)
		wanted = wanted ||
			 (s->options.wanted[i] && summary_kind_takes(summary_kinds[i], stream));
	if (!wanted || len > SUMMARY_ROW_MAX)
		return;
	if (s->filling->used + sizeof(head) + len > sizeof(s->filling->rows) - SPLIT_PAD)
		queue_block(s);
	memcpy(s->filling->rows + s->filling->used, &head, sizeof(head));
	memcpy(s->filling->rows + s->filling->used + sizeof(head), row, len);
	s->filling->used += sizeof(head) + len;
}

void summaries_tick(struct summaries *s)
{
	if (s->filling->used)
		queue_block(s);
}

json_t *summaries_news(struct summaries *s)
{
	json_t *news;

	pthread_mutex_lock(&s->lock);
	news = s->news;
	s->news = NULL;
	pthread_mutex_unlock(&s->lock);
	return news;
}

uint64_t summaries_bytes(struct summaries *s)
{
	uint64_t bytes;

	pthread_mutex_lock(&s->lock);
	bytes = s->bytes + s->room_taken;
	pthread_mutex_unlock(&s->lock);
	return bytes;
}

/* ---- the thread ---- */

static void add_up(struct summaries *s, const struct block *block)
{
	struct row_head head;

	for (size_t at = 0; at < block->used; at += head.len) {
		memcpy(&head, block->rows + at, sizeof(head));
		at += sizeof(head);
		for (int i = 0; i < N_SUMMARY_KINDS; i++)
			if (s->kinds[i] &&
			    summary_kind_takes(summary_kinds[i], (enum stream_id)head.stream) &&
			    !summary_kinds[i]->row(s->kinds[i], (enum stream_id)head.stream,
						   block->rows + at, head.len))
				s->n_bad++;
	}
}

static uint64_t room_taken(struct summaries *s)
{
	uint64_t bytes = 0;

	for (int i = 0; i < N_SUMMARY_KINDS; i++)
		if (s->kinds[i] && !summary_kinds[i]->publish)
			bytes += summary_kinds[i]->room_taken(s->kinds[i]);
	return bytes;
}

static int write_kind(struct summaries *s, const struct summary_kind *kind, void *self,
		      json_t *files, uint64_t *bytes)
{
	int err = kind->begin(self);

	if (err)
		log_error("%s/summary: %s: the tables of %s are not complete and not written",
			  s->dir, strerror(-err), kind->name);
	for (unsigned i = 0; i < kind->n_tables && !err; i++)
		err = summary_file_write(s->dir, s->dir_fd, kind, self, i, files, bytes);
	kind->end(self);
	return err;
}

static void publish_all(struct summaries *s, bool last)
{
	bool ours;
	int err = 0;

	pthread_mutex_lock(&s->lock);
	ours = !s->handed_over;
	pthread_mutex_unlock(&s->lock);
	for (int i = 0; i < N_SUMMARY_KINDS && ours; i++)
		if (s->kinds[i] && summary_kinds[i]->publish)
			err = summary_kinds[i]->publish(s->kinds[i], last);
	if (err && last)
		s->err = err;
}

static void write_all(struct summaries *s)
{
	json_t *files = json_array(), *kinds = json_array(), *account = json_object(), *before;
	uint64_t bytes = 0;
	int err = 0, kind_err;

	for (int i = 0; i < N_SUMMARY_KINDS; i++) {
		if (!s->kinds[i] || summary_kinds[i]->publish)
			continue;
		json_array_append_new(kinds, json_string(summary_kinds[i]->name));
		kind_err = write_kind(s, summary_kinds[i], s->kinds[i], files, &bytes);
		err = kind_err ? kind_err : err;
		json_object_set_new(account, summary_kinds[i]->name,
				    summary_kinds[i]->account(s->kinds[i]));
	}
	s->err = err;
	pthread_mutex_lock(&s->lock);
	before = s->news;
	/* of a table that was not written, the manifest keeps what it has */
	s->news = err ? NULL :
			json_pack("{s:i, s:o, s:I, s:o, s:o}", "interval_s",
				  (int)s->options.interval_s, "kinds", kinds, "damaged_rows",
				  (json_int_t)s->n_bad, "account", account, "files", files);
	if (!err)
		s->bytes = bytes;
	pthread_mutex_unlock(&s->lock);
	if (err) {
		json_decref(files);
		json_decref(kinds);
		json_decref(account);
	}
	json_decref(before);
}

/* The lock is held. Until rows come or tables are due. */
static void wait_for_rows(struct summaries *s)
{
	uint64_t due_ns = s->due_ns < s->publish_ns ? s->due_ns : s->publish_ns;
	struct timespec until = { (time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) };

	if (due_ns == UINT64_MAX)
		pthread_cond_wait(&s->rows_came, &s->lock);
	else
		pthread_cond_timedwait(&s->rows_came, &s->lock, &until);
}

static void *work(void *arg)
{
	struct summaries *s = arg;
	struct block *block;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		/* tables before rows: else a recording that never pauses would never have any */
		if (mono_ns() >= s->due_ns) {
			pthread_mutex_unlock(&s->lock);
			write_all(s);
			s->due_ns = mono_ns() + s->options.interval_s * NS_PER_S;
			pthread_mutex_lock(&s->lock);
		} else if (mono_ns() >= s->publish_ns) {
			pthread_mutex_unlock(&s->lock);
			publish_all(s, false);
			s->publish_ns = mono_ns() + PUBLISH_EVERY_S * NS_PER_S;
			pthread_mutex_lock(&s->lock);
		} else if ((block = pop(&s->full))) {
			uint64_t taken;

			pthread_mutex_unlock(&s->lock);
			add_up(s, block);
			taken = room_taken(s);
			pthread_mutex_lock(&s->lock);
			s->room_taken = taken;
			STAILQ_INSERT_TAIL(&s->empty, block, next);
			pthread_cond_signal(&s->room_came);
		} else if (s->ending) {
			break;
		} else {
			wait_for_rows(s);
		}
	}
	pthread_mutex_unlock(&s->lock);
	if (s->tables)
		write_all(s);
	publish_all(s, true);
	return NULL;
}

/* ---- beginning and end ---- */

static int start(struct summaries *s)
{
	const struct summary_room room = { .dir = s->dir,
					   .dir_fd = s->dir_fd,
					   .folder = SUMMARY_FOLDER,
					   .max_files = s->options.max_files,
					   .host = s->options.host,
					   .alerts = &s->options.alerts,
					   .vfs = s->options.vfs,
					   .faults = s->options.faults,
					   .metrics = s->options.metrics };

	pthread_mutex_init(&s->lock, NULL);
	thread_cond_init(&s->rows_came);
	pthread_cond_init(&s->room_came, NULL);
	STAILQ_INIT(&s->full);
	STAILQ_INIT(&s->empty);
	for (int i = 0; i < N_SUMMARY_KINDS; i++)
		s->tables = s->tables || (s->options.wanted[i] && !summary_kinds[i]->publish);
	s->due_ns = s->tables && s->options.interval_s ?
			    mono_ns() + s->options.interval_s * NS_PER_S :
			    UINT64_MAX;
	s->publish_ns = s->options.metrics ? mono_ns() + PUBLISH_EVERY_S * NS_PER_S : UINT64_MAX;
	s->filling = malloc(sizeof(*s->filling));
	if (!s->filling)
		return -ENOMEM;
	s->filling->used = 0;
	s->n_blocks = 1;
	for (int i = 0; i < N_SUMMARY_KINDS; i++) {
		/* what open() fails for, unless it says something else */
		errno = ENOMEM;
		s->kinds[i] = s->options.wanted[i] ? summary_kinds[i]->open(&room) : NULL;
		if (s->options.wanted[i] && !s->kinds[i])
			return -errno;
	}
	return thread_start(&s->thread, work, s);
}

struct summaries *summaries_open(const struct summaries_options *options, const char *dir,
				 int dir_fd)
{
	struct summaries *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (s) {
		s->options = *options;
		s->dir = dir;
		s->dir_fd = dir_fd;
		err = start(s);
	}
	if (!err)
		return s;
	log_error("%s/summary: cannot start: %s", dir, strerror(-err));
	summaries_free(s);
	return NULL;
}

void summaries_hand_over(struct summaries *s, bool over)
{
	pthread_mutex_lock(&s->lock);
	s->handed_over = over;
	pthread_mutex_unlock(&s->lock);
}

int summaries_end(struct summaries *s)
{
	summaries_tick(s);
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->rows_came);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	return s->err;
}

static void free_list(struct list *list)
{
	struct block *block;

	while ((block = pop(list)))
		free(block);
}

void summaries_free(struct summaries *s)
{
	if (!s)
		return;
	for (int i = 0; i < N_SUMMARY_KINDS; i++)
		summary_kinds[i]->close(s->kinds[i]);
	free_list(&s->full);
	free_list(&s->empty);
	free(s->filling);
	json_decref(s->news);
	free(s);
}
