/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the life of a segment after its last row, and the manifest. One thread,
 * fed by a list of small jobs without an end, so that closing a segment never
 * waits; what grows instead is bounded by giving up compression, first for the
 * oldest job.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "finish.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "publish.h"
#include "sys.h"

#define RESERVE_NAME ".manifest.reserve"

enum {
	RESERVE_BYTES = 256 * 1024,
	BACKLOG_BYTES = 512 * 1024 * 1024, /* waiting: leave segments plain until it is less */
	BACKLOG_JOBS = 64,                 /* waiting: no descriptors kept, no sync per segment */
	NICE = 10,
};

#define NS_PER_S 1000000000ULL
#define MANIFEST_EVERY_NS NS_PER_S
#define MEMBERS_EVERY_NS (30 * NS_PER_S)

/* A segment on its way: waiting, closed under its final name, or gone again. */
struct item {
	struct item *next;
	struct manifest_segment segment;
	uint64_t order; /* of closing */
	int fd; /* while waiting; -1: open it by name */
	bool published;
};

struct list {
	struct item *first;
	struct item **end;
};

struct finish {
	struct write_options options;
	char dir[128]; /* for messages */
	int dir_fd;
	pthread_t thread;

	pthread_mutex_t lock; /* the part below, down to the next blank line */
	pthread_cond_t wake;
	uint64_t n_closed;     /* segments handed over so far */
	uint64_t evicted_upto; /* order of the youngest that went */
	struct list jobs;
	struct list closed; /* oldest first, and all older than the jobs */
	struct list gone;   /* evicted, not yet in the manifest */
	unsigned n_jobs;
	uint64_t waiting_bytes; /* of jobs, the one in work included */
	uint64_t json_bytes;
	uint64_t reserve_bytes;
	struct finish_progress progress;
	struct finish_totals totals;
	json_t *members; /* new ones, not yet taken over */
	bool stop_seen;
	bool closing;

	/* the background thread's own */
	struct manifest *manifest;
	uint64_t written_ns;  /* CLOCK_MONOTONIC, of the manifest; 0: at start */
	uint64_t every_ns;
	bool dirty;
	bool dirty_members;
	bool had_members;
	bool told_plain;
	int err;
};

static void list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void list_push(struct list *list, struct item *item)
{
	item->next = NULL;
	*list->end = item;
	list->end = &item->next;
}

static struct item *list_pop(struct list *list)
{
	struct item *item = list->first;

	if (item) {
		list->first = item->next;
		if (!list->first)
			list->end = &list->first;
	}
	return item;
}

static void list_free(struct list *list)
{
	struct item *item;

	while ((item = list_pop(list)))
		free(item);
}

static void remember(struct finish *f, int err)
{
	if (err && !f->err)
		f->err = err;
}

/* ---- room for the manifest on a full disk ---- */

static void set_locked(struct finish *f, uint64_t *bytes, uint64_t value)
{
	pthread_mutex_lock(&f->lock);
	*bytes = value;
	pthread_mutex_unlock(&f->lock);
}

static void reserve_release(struct finish *f)
{
	if (f->reserve_bytes)
		unlinkat(f->dir_fd, RESERVE_NAME, 0);
	set_locked(f, &f->reserve_bytes, 0);
}

/* Old and new manifest exist side by side for a moment. */
static int reserve_make(struct finish *f)
{
	uint64_t want = RESERVE_BYTES;
	int fd, err;

	while (want < 2 * f->json_bytes + RESERVE_BYTES / 4)
		want *= 2;
	if (want <= f->reserve_bytes)
		return 0;
	fd = openat(f->dir_fd, RESERVE_NAME, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = -posix_fallocate(fd, 0, (off_t)want);
	close(fd);
	if (!err)
		set_locked(f, &f->reserve_bytes, want);
	else if (!f->reserve_bytes)
		unlinkat(f->dir_fd, RESERVE_NAME, 0);
	return err;
}

/* ---- limits ---- */

/* Call locked. */
static uint64_t disk_bytes(struct finish *f)
{
	return f->totals.disk_bytes + f->waiting_bytes + f->progress.open_bytes + f->json_bytes +
	       f->reserve_bytes;
}

/* Call locked. */
static struct item *take_oldest(struct finish *f)
{
	struct item *item = list_pop(&f->closed);

	if (item) {
		f->totals.disk_bytes -= item->segment.bytes;
		return item;
	}
	item = list_pop(&f->jobs);
	if (item) {
		f->n_jobs--;
		f->waiting_bytes -= item->segment.csv_bytes;
	}
	return item;
}

/* Call locked. */
static void remove_item(struct finish *f, struct item *item)
{
	struct manifest_segment *segment = &item->segment;
	char part[SEGMENT_PATH_SIZE];

	segment_part_path(segment->file, part);
	if (unlinkat(f->dir_fd, item->published ? segment->file : part, 0) && errno != ENOENT)
		log_warn("%s/%s: cannot remove to keep to --max-disk: %s", f->dir, segment->file,
			 strerror(errno));
	if (item->fd >= 0)
		close(item->fd);
	f->totals.evicted_rows[segment->stream] += segment->rows;
	f->totals.evicted_segments++;
	if (item->order > f->evicted_upto)
		f->evicted_upto = item->order;
	list_push(&f->gone, item);
}

/*
 * Call locked. Both threads do: a sync or a compression can take so long that
 * the rows written meanwhile pass the limit many times over.
 */
static void evict(struct finish *f)
{
	struct item *item;

	while (f->options.max_disk && disk_bytes(f) > f->options.max_disk &&
	       (item = take_oldest(f)))
		remove_item(f, item);
}

/* ---- one segment ---- */

/* True while there is time and room to compress. Called between pieces as well. */
static bool may_compress(void *arg)
{
	struct finish *f = arg;
	bool behind, stopped, over;

	pthread_mutex_lock(&f->lock);
	evict(f);
	over = f->options.max_disk && disk_bytes(f) > f->options.max_disk;
	behind = f->waiting_bytes > BACKLOG_BYTES;
	stopped = f->progress.stop_reason[0] != '\0';
	pthread_mutex_unlock(&f->lock);
	if (behind && !f->told_plain) {
		f->told_plain = true;
		log_note("compression cannot keep up: some segments stay plain .csv");
	}
	return !behind && !stopped && !over;
}

/* With thousands of tiny segments a sync each would never catch up. */
static bool time_to_sync(struct finish *f)
{
	unsigned waiting;

	pthread_mutex_lock(&f->lock);
	waiting = f->n_jobs;
	pthread_mutex_unlock(&f->lock);
	return waiting <= BACKLOG_JOBS;
}

static int publish_job(struct finish *f, struct item *job)
{
	struct publish_options options = {
		.dir = f->dir,
		.dir_fd = f->dir_fd,
		.compress = f->options.compress == WRITE_GZ,
		.sync = time_to_sync(f),
		.may_compress = may_compress,
		.arg = f,
	};
	char part[SEGMENT_PATH_SIZE];
	int err, sync_err;

	segment_part_path(job->segment.file, part);
	if (job->fd < 0)
		job->fd = openat(f->dir_fd, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (job->fd < 0)
		return -errno;
	err = publish_segment(&options, &job->segment, job->fd, &sync_err);
	close(job->fd);
	job->fd = -1;
	remember(f, sync_err);
	return err;
}

static void finish_one(struct finish *f, struct item *job)
{
	struct manifest_segment *segment = &job->segment;
	int err = publish_job(f, job);

	if (!err) {
		manifest_add(f->manifest, segment);
		f->dirty = true;
	} else if (!f->err) { /* a removed directory fails them all */
		log_error("%s/%s: cannot keep: %s", f->dir, segment->file, strerror(-err));
	}
	remember(f, err);
	job->published = !err;
	pthread_mutex_lock(&f->lock);
	f->waiting_bytes -= segment->csv_bytes;
	if (err) {
		f->totals.lost_rows[segment->stream] += segment->rows;
	} else {
		f->totals.segments++;
		/* younger ones went while this one was written out: it goes, too */
		if (job->order < f->evicted_upto) {
			remove_item(f, job);
		} else {
			f->totals.disk_bytes += segment->bytes;
			list_push(&f->closed, job); /* from here on it may be evicted */
		}
	}
	evict(f);
	pthread_mutex_unlock(&f->lock);
	if (err)
		free(job);
}

/* ---- the manifest ---- */

static void take_members(struct finish *f)
{
	json_t *members;

	pthread_mutex_lock(&f->lock);
	members = f->members;
	f->members = NULL;
	pthread_mutex_unlock(&f->lock);
	if (!members)
		return;
	manifest_members(f->manifest, members);
	json_decref(members);
	if (f->had_members)
		f->dirty_members = true;
	else
		f->dirty = true; /* the plan: a killed run should have it */
	f->had_members = true;
}

static void take_gone(struct finish *f)
{
	struct list gone;
	struct item *item;

	list_init(&gone);
	pthread_mutex_lock(&f->lock);
	while ((item = list_pop(&f->gone)))
		list_push(&gone, item);
	pthread_mutex_unlock(&f->lock);
	while ((item = list_pop(&gone))) {
		if (item->published)
			manifest_evict(f->manifest, item->segment.stream);
		else
			manifest_add_evicted(f->manifest, &item->segment);
		f->dirty = true;
		free(item);
	}
}

static void fill_counts(struct finish *f, struct manifest_counts *counts)
{
	pthread_mutex_lock(&f->lock);
	*counts = f->progress.counts;
	for (int i = 0; i < N_STREAMS; i++) {
		counts->rows[i] -= f->totals.lost_rows[i];
		counts->unwritable[i] += f->totals.lost_rows[i];
	}
	pthread_mutex_unlock(&f->lock);
}

static int write_manifest(struct finish *f)
{
	struct manifest_counts counts;
	uint64_t start = mono_ns();
	uint64_t bytes;
	int err;

	fill_counts(f, &counts);
	manifest_counts(f->manifest, &counts);
	err = manifest_write(f->manifest, f->dir_fd, &bytes);
	set_locked(f, &f->json_bytes, bytes);
	f->written_ns = mono_ns();
	/* a slow disk or a long list: at most a twentieth of the time */
	f->every_ns = 20 * (f->written_ns - start);
	if (f->every_ns < MANIFEST_EVERY_NS)
		f->every_ns = MANIFEST_EVERY_NS;
	f->dirty = err != 0;
	f->dirty_members = false;
	return err;
}

/* Nanoseconds until the manifest should be written: 0 now, -1 not at all. */
static int64_t manifest_due(struct finish *f)
{
	uint64_t due = f->written_ns;
	uint64_t now = mono_ns();

	if (!f->dirty && !f->dirty_members)
		return -1;
	due += f->dirty || f->every_ns > MEMBERS_EVERY_NS ? f->every_ns : MEMBERS_EVERY_NS;
	return due > now ? (int64_t)(due - now) : 0;
}

static void update_manifest(struct finish *f)
{
	char reason[sizeof(f->progress.stop_reason)];
	bool stop;

	take_members(f);
	take_gone(f);
	pthread_mutex_lock(&f->lock);
	memcpy(reason, f->progress.stop_reason, sizeof(reason));
	stop = reason[0] && !f->stop_seen;
	f->stop_seen = f->stop_seen || stop;
	pthread_mutex_unlock(&f->lock);
	if (stop) {
		reserve_release(f);
		manifest_state(f->manifest, "stopped", reason, false);
		f->dirty = true;
	}
	if (!stop && manifest_due(f) != 0)
		return;
	/* the last one reports; meanwhile an old but whole manifest is there */
	if (!write_manifest(f) && !reason[0])
		reserve_make(f);
}

static void last_manifest(struct finish *f)
{
	const char *reason = f->progress.stop_reason;
	int err;

	take_members(f);
	take_gone(f);
	reserve_release(f);
	manifest_state(f->manifest, reason[0] ? "stopped" : "complete", reason[0] ? reason : NULL,
		       true);
	err = write_manifest(f);
	if (err == -ENOENT && (reason[0] || f->err == err))
		return; /* the directory is gone, and that has been said */
	if (err)
		log_error("%s/manifest.json: %s: it stays as it was before", f->dir, strerror(-err));
	remember(f, err);
}

/* ---- the thread ---- */

/* Waits for work; *job may be NULL. False at the end. */
static bool next_job(struct finish *f, struct item **job)
{
	int64_t wait_ns = manifest_due(f);
	uint64_t until_ns = mono_ns() + (wait_ns > 0 ? (uint64_t)wait_ns : 0);
	struct timespec until = { .tv_sec = (time_t)(until_ns / NS_PER_S),
				  .tv_nsec = (long)(until_ns % NS_PER_S) };

	pthread_mutex_lock(&f->lock);
	if (!f->jobs.first && !f->gone.first && !f->closing && !f->members && wait_ns != 0 &&
	    !(f->progress.stop_reason[0] && !f->stop_seen)) {
		if (wait_ns < 0)
			pthread_cond_wait(&f->wake, &f->lock);
		else
			pthread_cond_timedwait(&f->wake, &f->lock, &until);
	}
	*job = list_pop(&f->jobs);
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
	while (next_job(f, &job)) {
		if (job)
			finish_one(f, job);
		update_manifest(f);
	}
	last_manifest(f);
	return NULL;
}

static int start_thread(struct finish *f)
{
	sigset_t all, old;
	int err;

	/* signals are for the main thread, which waits for them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&f->thread, NULL, finish_thread, f);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

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
	pthread_condattr_t attr;

	if (!f)
		return NULL;
	f->options = *options;
	f->dir_fd = dir_fd;
	snprintf(f->dir, sizeof(f->dir), "%s", options->dir);
	list_init(&f->jobs);
	list_init(&f->closed);
	list_init(&f->gone);
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->wake, &attr);
	pthread_condattr_destroy(&attr);
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
	*err = write_manifest(f);
	if (*err) {
		log_error("%s/manifest.json: %s: choose another directory with -o", options->dir,
			  strerror(-*err));
	} else {
		*err = reserve_make(f);
		/* only a disk that is full already is a reason not to start */
		if (*err != -ENOSPC && *err != -EDQUOT)
			*err = start_thread(f);
		if (*err)
			log_error("%s: cannot start writing: %s", options->dir, strerror(-*err));
	}
	if (*err) {
		reserve_release(f);
		unlinkat(dir_fd, "manifest.json", 0);
		finish_free(f);
		return NULL;
	}
	return f;
}

void finish_segment(struct finish *f, const struct manifest_segment *segment, int fd)
{
	struct item *job = calloc(1, sizeof(*job));
	bool keep_fd = false;

	pthread_mutex_lock(&f->lock);
	if (job) {
		job->segment = *segment;
		job->order = ++f->n_closed;
		list_push(&f->jobs, job);
		f->n_jobs++;
		f->waiting_bytes += segment->csv_bytes;
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

void finish_progress(struct finish *f, const struct finish_progress *progress)
{
	bool stopped;

	pthread_mutex_lock(&f->lock);
	stopped = progress->stop_reason[0] && !f->progress.stop_reason[0];
	f->progress = *progress;
	evict(f);
	if (stopped || f->gone.first)
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
	totals->disk_bytes = disk_bytes(f);
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
	pthread_join(f->thread, NULL);
	finish_totals(f, totals);
	err = f->err;
	finish_free(f);
	return err;
}
