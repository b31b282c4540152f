/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the session directory: which rows go into which segment, when a segment
 * ends, and when writing has to stop. A row costs a copy and two stores; all
 * else happens when a buffer is full or a tick comes. What becomes of a closed
 * segment is finish.c's business.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "finish.h"
#include "log.h"
#include "segment.h"
#include "sys.h"

enum { MIN_MAX_DISK = 1024 * 1024, MIN_ROTATE_SIZE = 16 * 1024 };

static const uint64_t flush_after_ns = 1000000000;

struct writer {
	struct segment segments[N_STREAMS];
	uint64_t n_opened[N_STREAMS];
	uint64_t closed_rows[N_STREAMS];  /* handed to finish */
	uint64_t closed_bytes[N_STREAMS];
	uint64_t unwritable[N_STREAMS];
	bool on[N_STREAMS];
	uint64_t tick_ns; /* CLOCK_MONOTONIC */
	struct write_options options;
	struct segment_limits limits;
	char *dir;
	bool made;        /* the directory is ours */
	int dir_fd;
	int err;
	char stop_reason[256]; /* empty: WRITE_OK */
	struct finish *finish;
	struct write_totals *totals; /* filled when asked for */
};

/* ---- counters to the background thread ---- */

static void fill_progress(const struct writer *w, struct finish_progress *progress)
{
	memset(progress, 0, sizeof(*progress));
	for (int i = 0; i < N_STREAMS; i++) {
		const struct segment *seg = &w->segments[i];

		progress->counts.on[i] = w->on[i];
		progress->counts.rows[i] = w->closed_rows[i] + segment_rows(seg);
		progress->counts.unwritable[i] = w->unwritable[i];
		if (seg->fd >= 0)
			progress->open_bytes += seg->n_bytes;
	}
	memcpy(progress->stop_reason, w->stop_reason, sizeof(progress->stop_reason));
}

static void tell_progress(struct writer *w)
{
	struct finish_progress progress;

	fill_progress(w, &progress);
	finish_progress(w->finish, &progress);
}

/* ---- segments: close, stop, flush ---- */

/* Rows that are buffered stay so; those in the file go their way. */
static void hand_over(struct writer *w, struct segment *seg)
{
	struct manifest_segment closed = {
		.stream = seg->stream,
		.rows = seg->n_rows,
		.csv_bytes = seg->n_bytes,
		.first_ns = seg->first_ns,
		.last_ns = seg->last_ns,
	};
	char part[SEGMENT_PATH_SIZE];
	int fd;

	memcpy(closed.file, seg->path, sizeof(closed.file));
	segment_part_path(seg->path, part);
	fd = segment_release(seg);
	if (fd < 0)
		return;
	if (closed.rows) {
		w->closed_rows[closed.stream] += closed.rows;
		w->closed_bytes[closed.stream] += closed.csv_bytes;
		finish_segment(w->finish, &closed, fd);
	} else {
		unlinkat(w->dir_fd, part, 0);
		close(fd);
	}
}

/* The file is nowhere any more: its rows are not written after all. */
static void disown(struct writer *w, struct segment *seg)
{
	w->unwritable[seg->stream] += seg->n_rows;
	close(segment_release(seg));
}

static bool is_unlinked(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && !st.st_nlink;
}

static void end_segment(struct writer *w, struct segment *seg)
{
	w->unwritable[seg->stream] += segment_drop(seg);
	if (is_unlinked(seg->fd))
		disown(w, seg);
	else
		hand_over(w, seg);
}

/* Keeps and closes what is written; every later row is counted as unwritable. */
__attribute__((format(printf, 3, 4)))
static void stop(struct writer *w, int err, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (w->stop_reason[0])
		return;
	w->err = w->err ? w->err : err;
	len = snprintf(w->stop_reason, sizeof(w->stop_reason), "%.100s: ", w->dir);
	va_start(ap, fmt);
	vsnprintf(w->stop_reason + len, sizeof(w->stop_reason) - (size_t)len, fmt, ap);
	va_end(ap);
	log_error("writing stopped: %s", w->stop_reason);
	for (int i = 0; i < N_STREAMS; i++) {
		/* a full disk may have room for one more buffer: errors are expected */
		if (segment_is_started(&w->segments[i]))
			segment_flush(&w->segments[i], w->dir_fd);
		end_segment(w, &w->segments[i]);
	}
	tell_progress(w);
}

static void stop_for_error(struct writer *w, int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		stop(w, err, "%s: free some, choose another disk with -o, or bound the trace with "
		     "--max-disk", strerror(-err));
		break;
	case ENOENT:
		stop(w, err, "the directory was removed while it was being written");
		break;
	case EFBIG:
		stop(w, err, "%s: not even one row fits: raise ulimit -f", strerror(-err));
		break;
	default:
		stop(w, err, "cannot write: %s", strerror(-err));
	}
}

static int start_segment(struct writer *w, struct segment *seg)
{
	int err = segment_start(seg, w->n_opened[seg->stream] + 1, &w->limits, mono_ns());

	if (!err) {
		w->n_opened[seg->stream]++;
		w->on[seg->stream] = true;
	}
	return err;
}

/* Buffer to file; where one file may not grow further, the rest goes into the next. */
static int flush_segment(struct writer *w, struct segment *seg)
{
	int err = segment_flush(seg, w->dir_fd);

	while (err == -EFBIG && seg->n_rows) {
		hand_over(w, seg);
		err = start_segment(w, seg);
		if (!err)
			err = segment_flush(seg, w->dir_fd);
	}
	seg->clean_ns = w->tick_ns;
	if (err)
		stop_for_error(w, err);
	else
		tell_progress(w);
	return err;
}

static int close_segment(struct writer *w, struct segment *seg)
{
	int err = flush_segment(w, seg);

	if (!err) {
		hand_over(w, seg);
		tell_progress(w); /* its bytes are no longer those of an open segment */
	}
	return err;
}

/* ---- rows ---- */

/* Makes room for a row of len bytes in a started segment. */
static int make_room(struct writer *w, struct segment *seg, size_t len)
{
	int err = 0;

	if (w->stop_reason[0])
		return -EIO;
	if (segment_is_started(seg))
		err = segment_is_full(seg, len) ? close_segment(w, seg) : flush_segment(w, seg);
	if (!err && !segment_is_started(seg))
		err = start_segment(w, seg);
	if (!err)
		err = segment_reserve(seg, len);
	return err;
}

static void __attribute__((noinline)) add_slowly(struct writer *w, struct segment *seg,
						 const char *row, size_t len, uint64_t real_ns)
{
	if (make_room(w, seg, len))
		w->unwritable[seg->stream]++;
	else
		segment_put(seg, row, len, real_ns);
}

void write_row(struct writer *w, enum stream_id stream, const char *row, size_t len,
	       uint64_t real_ns)
{
	struct segment *seg = &w->segments[stream];

	if (!segment_add(seg, row, len, real_ns))
		add_slowly(w, seg, row, len, real_ns);
}

void write_rotate(struct writer *w)
{
	for (int i = 0; i < N_STREAMS; i++)
		if (segment_is_started(&w->segments[i]))
			close_segment(w, &w->segments[i]);
}

/* ---- ticks ---- */

static void tick_segment(struct writer *w, struct segment *seg)
{
	uint64_t age_ns = w->tick_ns - seg->opened_ns;

	if (is_unlinked(seg->fd))
		stop_for_error(w, -ENOENT);
	else if (w->options.rotate_time_s && age_ns / 1000000000u >= w->options.rotate_time_s)
		close_segment(w, seg);
	else if (!seg->n_buffered)
		seg->clean_ns = w->tick_ns;
	else if (w->tick_ns - seg->clean_ns >= flush_after_ns)
		flush_segment(w, seg);
}

static uint64_t free_bytes(int dir_fd)
{
	struct statvfs vfs;

	if (fstatvfs(dir_fd, &vfs))
		return UINT64_MAX;
	return (uint64_t)vfs.f_bavail * vfs.f_frsize;
}

static double mib(uint64_t bytes)
{
	return (double)bytes / (1024 * 1024);
}

static void check_free(struct writer *w)
{
	uint64_t left = free_bytes(w->dir_fd);

	if (left < w->options.min_free)
		stop(w, -ENOSPC, "%.1f MiB are left, less than --min-free %.1f MiB: free some, "
		     "choose another disk with -o, or bound the trace with --max-disk",
		     mib(left), mib(w->options.min_free));
}

enum write_state write_tick(struct writer *w)
{
	w->tick_ns = mono_ns();
	if (is_unlinked(w->dir_fd))
		stop_for_error(w, -ENOENT);
	if (w->options.min_free && !w->stop_reason[0])
		check_free(w);
	for (int i = 0; i < N_STREAMS && !w->stop_reason[0]; i++)
		if (segment_is_started(&w->segments[i]))
			tick_segment(w, &w->segments[i]);
	tell_progress(w);
	return w->stop_reason[0] ? WRITE_STOPPED : WRITE_OK;
}

/* ---- open and close ---- */

/* Empty, or the root of a fresh file system. */
static int check_empty(const char *path, int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		log_error("%s: cannot read the directory: %s", path, strerror(-err));
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    strcmp(entry->d_name, "lost+found")) {
			err = -ENOTEMPTY;
			log_error("%s: already holds %s: choose another with -o", path,
				  entry->d_name);
		}
	}
	closedir(dir);
	return err;
}

static int complain_dir(const char *path, int err)
{
	switch (-err) {
	case ENOENT:
		log_error("%s: its parent directory does not exist: make it first, or choose "
			  "another with -o", path);
		break;
	case ENOTDIR:
		log_error("%s: not a directory: choose another with -o", path);
		break;
	default:
		log_error("%s: cannot make the directory: %s: choose another with -o", path,
			  strerror(-err));
	}
	return err;
}

static int open_dir(const char *path, bool *made)
{
	int fd;

	*made = !mkdir(path, 0777);
	if (!*made && errno != EEXIST)
		return complain_dir(path, -errno);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? complain_dir(path, -errno) : fd;
}

static int check_options(const struct write_options *o, int dir_fd)
{
	uint64_t left = free_bytes(dir_fd);

	if (o->max_disk && o->max_disk < MIN_MAX_DISK) {
		log_error("--max-disk: at least %.1f MiB are needed", mib(MIN_MAX_DISK));
		return -EINVAL;
	}
	if (left < o->min_free) {
		log_error("%s: %.1f MiB are free, less than --min-free %.1f MiB: free some, or "
			  "choose another disk with -o", o->dir, mib(left), mib(o->min_free));
		return -ENOSPC;
	}
	return 0;
}

/* All open segments together may take half of max_disk: the other half is closed, and can go. */
static void bound_rotation(struct writer *w)
{
	uint64_t bound = w->options.max_disk / (2 * N_STREAMS);

	if (bound < MIN_ROTATE_SIZE)
		bound = MIN_ROTATE_SIZE;
	if (w->options.max_disk && (!w->options.rotate_size || w->options.rotate_size > bound)) {
		w->options.rotate_size = bound;
		log_detail("segments end at %.1f MiB, to keep to --max-disk", mib(bound));
	}
	w->limits.size = w->options.rotate_size;
	w->limits.rows = w->options.rotate_rows;
}

static void ignore_signal(int signal)
{
	(void)signal;
}

/*
 * A file-size limit should be an error like any other, not a death. A handler,
 * because an ignored signal would stay ignored in the traced command.
 */
static void survive_file_limit(void)
{
	struct sigaction action = { .sa_handler = ignore_signal, .sa_flags = SA_RESTART };
	struct sigaction old;

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

static void writer_free(struct writer *w)
{
	for (int i = 0; i < N_STREAMS; i++)
		segment_free(&w->segments[i]);
	if (w->dir_fd >= 0)
		close(w->dir_fd);
	free(w->totals);
	free(w->dir);
	free(w);
}

static struct writer *writer_new(const struct write_options *options)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->dir_fd = -1;
	for (int i = 0; i < N_STREAMS; i++)
		segment_init(&w->segments[i], (enum stream_id)i);
	w->options = *options;
	w->dir = strdup(options->dir);
	w->options.dir = w->dir;
	w->totals = calloc(1, sizeof(*w->totals));
	if (!w->dir || !w->totals) {
		writer_free(w);
		return NULL;
	}
	return w;
}

static int open_session(struct writer *w)
{
	int err;

	w->dir_fd = open_dir(w->dir, &w->made);
	if (w->dir_fd < 0)
		return w->dir_fd;
	err = check_empty(w->dir, w->dir_fd);
	if (!err)
		err = check_options(&w->options, w->dir_fd);
	if (err)
		return err;
	bound_rotation(w);
	survive_file_limit();
	tzset(); /* localtime_r need not do it */
	w->tick_ns = mono_ns();
	w->finish = finish_open(&w->options, w->dir_fd, &err);
	return err;
}

struct writer *write_open(const struct write_options *options, int *err)
{
	struct writer *w = writer_new(options);

	*err = -ENOMEM;
	if (!w) {
		log_error("%s: out of memory", options->dir);
		return NULL;
	}
	*err = open_session(w);
	if (!*err)
		return w;
	if (w->made)
		rmdir(w->dir);
	writer_free(w);
	return NULL;
}

void write_stream(struct writer *w, enum stream_id stream)
{
	w->on[stream] = true;
}

void write_manifest_members(struct writer *w, json_t *members)
{
	finish_members(w->finish, members);
}

static void fill_totals(const struct writer *w, const struct finish_totals *finished)
{
	struct write_totals *t = w->totals;

	for (int i = 0; i < N_STREAMS; i++) {
		const struct segment *seg = &w->segments[i];
		uint64_t lost = finished->lost_rows[i];

		t->rows[i] = w->closed_rows[i] + segment_rows(seg) - lost;
		t->bytes[i] = w->closed_bytes[i];
		if (segment_is_started(seg))
			t->bytes[i] += seg->n_bytes + seg->used;
		t->unwritable[i] = w->unwritable[i] + lost;
		t->evicted_rows[i] = finished->evicted_rows[i];
	}
	t->evicted_segments = finished->evicted_segments;
	t->segments = finished->segments;
	t->disk_bytes = finished->disk_bytes;
}

const struct write_totals *write_totals(const struct writer *w)
{
	struct finish_totals finished;

	finish_totals(w->finish, &finished);
	fill_totals(w, &finished);
	return w->totals;
}

const char *write_stop_reason(const struct writer *w)
{
	return w->stop_reason[0] ? w->stop_reason : NULL;
}

int write_end(struct writer *w, struct write_totals *totals)
{
	struct finish_progress progress;
	struct finish_totals finished;
	int err;

	write_rotate(w);
	fill_progress(w, &progress);
	err = finish_close(w->finish, &progress, &finished);
	if (w->err)
		err = w->err;
	if (totals) {
		fill_totals(w, &finished);
		*totals = *w->totals;
	}
	writer_free(w);
	return err;
}

int write_finish(struct writer *w)
{
	return write_end(w, NULL);
}

void write_abandon(struct writer *w)
{
	char *dir = strdup(w->dir);
	bool made = w->made;
	int dir_fd = dup(w->dir_fd);

	write_finish(w);
	if (dir_fd >= 0) {
		unlinkat(dir_fd, "manifest.json", 0);
		close(dir_fd);
	}
	if (made && dir)
		rmdir(dir);
	free(dir);
}
