/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the background thread, and what the two threads tell each other. It is
 * fed by a list of small jobs without an end, so that closing a segment never
 * waits; what grows instead is bounded by giving up compression, first for the
 * oldest job.
 */
#include "write/finish.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "write/finish_list.h"
#include "write/finish_manifest.h"
#include "write/finish_segments.h"
#include "write/finish_state.h"

enum { NICE = 10 };

/* ---- lists ---- */

static void list_free(struct list *list)
{
	struct item *item;

	while ((item = finish_list_pop(list)))
		free(item);
}

/* ---- the thread ---- */

/* Waits for work; *job may be NULL. False at the end. */
static bool next_job(struct finish *f, struct item **job)
{
	int64_t wait_ns = finish_manifest_due(f);
	uint64_t until_ns = mono_ns() + (wait_ns > 0 ? (uint64_t)wait_ns : 0);
	struct timespec until = { .tv_sec = (time_t)(until_ns / NS_PER_S),
				  .tv_nsec = (long)(until_ns % NS_PER_S) };

	pthread_mutex_lock(&f->lock);
	/*
	 * Woken for nothing, it does no harm: the caller looks for work again. What the
	 * manifest is due for belongs to this thread, so nobody can change it between the
	 * question and the wait.
	 */
	if (!f->jobs.first && !f->gone.first && !f->closing && !f->members && wait_ns != 0 &&
	    !finish_stop_changed(f)) {
		if (wait_ns < 0)
			pthread_cond_wait(&f->wake, &f->lock);
		else
			pthread_cond_timedwait(&f->wake, &f->lock, &until);
	}
	*job = finish_list_pop(&f->jobs);
	if (*job)
		f->n_jobs--;
	pthread_mutex_unlock(&f->lock);
	return *job || !f->closing;
}

static void *finish_thread(void *arg)
{
	struct finish *f = arg;
	struct item *job;

	/* Linux applies this to the thread alone: the traced work comes first */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
	/* the manifest after each job: one that is due must not wait until a backlog is gone */
	while (next_job(f, &job)) {
		if (job)
			finish_publish(f, job);
		finish_manifest_update(f);
	}
	finish_manifest_last(f);
	return NULL;
}

/* ---- what the writing thread calls ---- */

static void finish_free(struct finish *f)
{
	list_free(&f->closed);
	json_decref(f->members);
	manifest_free(f->manifest);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

static struct finish *finish_new(const struct write_options *options, int dir_fd)
{
	struct finish *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->options = *options;
	f->dir_fd = dir_fd;
	snprintf(f->dir, sizeof(f->dir), "%s", options->dir);
	finish_list_init(&f->jobs);
	finish_list_init(&f->closed);
	finish_list_init(&f->gone);
	pthread_mutex_init(&f->lock, NULL);
	thread_cond_init(&f->wake);
	f->manifest = manifest_new(options);
	if (!f->manifest) {
		finish_free(f);
		return NULL;
	}
	return f;
}

struct finish *finish_open(const struct write_options *options, int dir_fd, int *err)
{
	struct finish *f = finish_new(options, dir_fd);

	*err = -ENOMEM;
	if (!f) {
		log_error("%s: out of memory", options->dir);
		return NULL;
	}
	*err = finish_manifest_write(f);
	if (*err) {
		log_error("%s/manifest.json: %s: choose another directory with -o", options->dir,
			  strerror(-*err));
	} else {
		*err = finish_reserve_make(f);
		/* only a disk that is full already is a reason not to start */
		if (*err != -ENOSPC && *err != -EDQUOT)
			*err = thread_start(&f->thread, finish_thread, f);
		if (*err)
			log_error("%s: cannot start writing: %s", options->dir, strerror(-*err));
	}
	if (*err) {
		finish_reserve_release(f);
		unlinkat(dir_fd, "manifest.json", 0);
		finish_free(f);
		return NULL;
	}
	return f;
}

/* Call locked. */
static void add_job(struct finish *f, struct item *job)
{
	job->order = ++f->n_closed;
	finish_list_push(&f->jobs, job);
	f->n_jobs++;
	f->waiting_bytes += finish_job_bytes(job);
}

void finish_segment(struct finish *f, const struct manifest_segment *segment, int fd)
{
	struct item *job = calloc(1, sizeof(*job));
	bool keep_fd = false;

	pthread_mutex_lock(&f->lock);
	if (job) {
		job->segment = *segment;
		add_job(f, job);
		/*
		 * a descriptor for each job of a long backlog would reach the limit of open
		 * files
		 */
		keep_fd = f->n_jobs <= BACKLOG_JOBS;
		job->fd = keep_fd ? fd : -1;
	} else {
		f->totals.lost_rows[segment->stream] += segment->rows;
	}
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
	if (!keep_fd)
		close(fd);
}

void finish_published(struct finish *f, const struct manifest_segment *segment)
{
	struct item *job = calloc(1, sizeof(*job));

	pthread_mutex_lock(&f->lock);
	if (job) {
		job->segment = *segment;
		job->published = true;
		job->fd = -1;
		add_job(f, job);
	} else {
		f->totals.lost_rows[segment->stream] += segment->rows;
	}
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
}

void finish_beside(struct finish *f, uint64_t bytes)
{
	pthread_mutex_lock(&f->lock);
	f->beside_bytes = bytes;
	pthread_mutex_unlock(&f->lock);
}

void finish_progress(struct finish *f, const struct finish_progress *progress)
{
	pthread_mutex_lock(&f->lock);
	f->progress = *progress;
	finish_evict(f);
	if (finish_stop_changed(f) || f->gone.first)
		pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
}

void finish_members(struct finish *f, json_t *members)
{
	/* the caller may go on changing its own; reference counts are not shared */
	json_t *copy = json_deep_copy(members);

	pthread_mutex_lock(&f->lock);
	if (f->members && copy) {
		json_object_update(f->members, copy);
		json_decref(copy);
	} else if (copy) {
		f->members = copy;
	}
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
}

void finish_totals(struct finish *f, struct finish_totals *totals)
{
	pthread_mutex_lock(&f->lock);
	*totals = f->totals;
	totals->disk_bytes = finish_disk_bytes(f);
	pthread_mutex_unlock(&f->lock);
}

int finish_close(struct finish *f, const struct finish_progress *progress,
		 struct finish_totals *totals)
{
	int err;

	pthread_mutex_lock(&f->lock);
	f->progress = *progress;
	f->closing = true;
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
	/* all jobs are done before it ends, however long that takes */
	pthread_join(f->thread, NULL);
	finish_totals(f, totals);
	err = f->err;
	finish_free(f);
	return err;
}
