/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the life of a segment after its last row: published under its final
 * name, with the effort that time and room allow, and removed, the oldest
 * first, when the directory takes more than it may.
 */
#include "write/finish_segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"
#include "write/finish_list.h"
#include "write/publish.h"

/* Waiting: leave segments plain until it is less. */
enum { BACKLOG_BYTES = 512 * 1024 * 1024 };

/* ---- limits ---- */

uint64_t finish_disk_bytes(struct finish *f)
{
	return f->totals.disk_bytes + f->waiting_bytes + f->progress.open_bytes + f->json_bytes +
	       f->reserve_bytes + f->beside_bytes;
}

uint64_t finish_job_bytes(const struct item *job)
{
	return job->published ? job->segment.bytes : job->segment.csv_bytes;
}

/*
 * Call locked. All closed ones are older than the jobs. The job in work is in neither list:
 * finish_publish() looks at evicted_upto when it is done.
 */
static struct item *take_oldest(struct finish *f)
{
	struct item *item = finish_list_pop(&f->closed);

	if (item) {
		f->totals.disk_bytes -= item->segment.bytes;
		return item;
	}
	item = finish_list_pop(&f->jobs);
	if (item) {
		f->n_jobs--;
		f->waiting_bytes -= finish_job_bytes(item);
	}
	return item;
}

/* Call locked. */
static void remove_item(struct finish *f, struct item *item)
{
	struct manifest_segment *segment = &item->segment;
	char part[SEGMENT_PATH_SIZE];
	int err;

	segment_part_path(segment->file, part);
	err = below_unlink(f->dir_fd, item->published ? segment->file : part);
	if (err && err != -ENOENT)
		log_warn("%s/%s: cannot remove to keep to --max-disk: %s", f->dir, segment->file,
			 strerror(-err));
	if (item->fd >= 0)
		close(item->fd);
	f->totals.evicted_rows[segment->stream] += segment->rows;
	f->totals.evicted_segments++;
	if (item->order > f->evicted_upto)
		f->evicted_upto = item->order;
	finish_list_push(&f->gone, item);
}

void finish_evict(struct finish *f)
{
	struct item *item;

	while (f->options.max_disk && finish_disk_bytes(f) > f->options.max_disk &&
	       (item = take_oldest(f)))
		remove_item(f, item);
}

/* ---- one segment ---- */

/* True while there is time and room to compress. Called between pieces as well. */
static bool may_compress(void *arg)
{
	struct finish *f = arg;
	/*
	 * after a stop the disk may be full, and a compressed copy needs room beside the
	 * plain file
	 */
	bool behind, stopped, over;

	pthread_mutex_lock(&f->lock);
	finish_evict(f);
	over = f->options.max_disk && finish_disk_bytes(f) > f->options.max_disk;
	behind = f->waiting_bytes > BACKLOG_BYTES;
	stopped = f->progress.stop_reason[0] != '\0';
	pthread_mutex_unlock(&f->lock);
	if (behind && !f->told_plain) {
		f->told_plain = true;
		log_note("compression cannot keep up: some segments stay uncompressed");
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
		.packing = f->options.packing,
		.sync = time_to_sync(f),
		.may_compress = may_compress,
		.arg = f,
	};
	char part[SEGMENT_PATH_SIZE];
	int err, sync_err;

	segment_part_path(job->segment.file, part);
	if (job->fd < 0)
		job->fd = below_open(f->dir_fd, part, O_RDONLY);
	if (job->fd < 0)
		return job->fd;
	err = publish_segment(&options, &job->segment, job->fd, &sync_err);
	close(job->fd);
	job->fd = -1;
	finish_remember(f, sync_err);
	return err;
}

void finish_publish(struct finish *f, struct item *job)
{
	struct manifest_segment *segment = &job->segment;
	uint64_t waiting = finish_job_bytes(job);
	int err = job->published ? 0 : publish_job(f, job);

	if (!err) {
		manifest_add(f->manifest, segment);
		job->listed = true;
		f->dirty = true;
	} else if (!f->err) { /* a removed directory fails them all */
		log_error("%s/%s: cannot keep: %s", f->dir, segment->file, strerror(-err));
	}
	finish_remember(f, err);
	job->published = !err;
	pthread_mutex_lock(&f->lock);
	f->waiting_bytes -= waiting;
	if (err) {
		f->totals.lost_rows[segment->stream] += segment->rows;
	} else {
		f->totals.segments++;
		/* younger ones went while this one was written out: it goes, too */
		if (job->order < f->evicted_upto) {
			remove_item(f, job);
		} else {
			f->totals.disk_bytes += segment->bytes;
			finish_list_push(&f->closed, job); /* from here on it may be evicted */
		}
	}
	finish_evict(f);
	pthread_mutex_unlock(&f->lock);
	if (err)
		free(job);
}
