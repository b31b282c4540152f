/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the open segments: which rows go into which, when one ends, and when
 * writing has to stop. A row costs a copy and two stores; all else happens when
 * a buffer is full or a tick comes. What becomes of a closed segment is
 * finish.c's business, and how a session begins and ends write_session.c's.
 */
#include "write/write.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/below.h"
#include "base/clock.h"
#include "base/log.h"
#include "row/anon.h"
#include "write/write_room.h"
#include "write/writer.h"

/* Ticks come ten times a second or more: what waits since before the last one is written. */
static const uint64_t flush_after_ns = 90000000;
static const uint64_t room_every_ns = 1000000000;
enum { MOST_PAUSES = 6 }; /* the pause doubles so often: 64 s */
enum {
	WAITING_ROOM = 64 * 1024 * 1024
}; /* bytes left for segments while copies are written of rows that wait */

/* ---- counters to the background thread ---- */

void writer_progress(const struct writer *w, struct finish_progress *progress)
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
	progress->open_bytes += w->spool ? spool_bytes(w->spool) : 0;
	memcpy(progress->stop_reason, w->stop_reason, sizeof(progress->stop_reason));
}

static void report_progress(struct writer *w)
{
	struct finish_progress progress;

	writer_progress(w, &progress);
	finish_progress(w->finish, &progress);
}

/* ---- segments: close, stop, flush ---- */

/*
 * Rows that are buffered stay so; those in the file go their way. Without any its number is the
 * next one's: readers take one that is nowhere for a loss.
 */
static void queue_segment(struct writer *w, struct segment *seg)
{
	const bool started = segment_is_started(seg);
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
	if (started && !closed.rows)
		w->n_opened[closed.stream]--;
	if (fd < 0)
		return;
	if (closed.rows) {
		w->closed_rows[closed.stream] += closed.rows;
		w->closed_bytes[closed.stream] += closed.csv_bytes;
		finish_segment(w->finish, &closed, fd);
	} else {
		below_unlink(w->dir_fd, part);
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

/*
 * Rows that are lost while writing is paused have a reason in stream lost; where it stopped
 * for good there is nobody to write one.
 */
static void give_up(struct writer *w, enum stream_id stream, uint64_t rows)
{
	w->unwritable[stream] += rows;
	if (w->paused && w->failed)
		w->disk_error[stream] += rows;
	else if (w->paused)
		w->no_room[stream] += rows;
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

/* What is missing is told when writing goes on: these rows wait in their buffer for it. */
static bool waits_for_room(const struct writer *w, const struct segment *seg)
{
	return w->paused && seg->stream == STREAM_lost;
}

/* The last line: rows of stream lost that are kept need a segment to belong to. */
static void end_segment(struct writer *w, struct segment *seg)
{
	if (!waits_for_room(w, seg))
		give_up(w, seg->stream, segment_drop(seg));
	if (is_unlinked(seg->fd))
		disown(w, seg);
	else
		queue_segment(w, seg);
	if (seg->n_buffered && start_segment(w, seg))
		give_up(w, seg->stream, segment_drop(seg));
}

/* Keeps and closes what is written; every later row is counted as unwritable, until resume(). */
__attribute__((format(printf, 3, 4))) static void stop(struct writer *w, int err, const char *fmt,
						       ...)
{
	va_list ap;
	int len;

	if (w->stop_reason[0])
		return;
	/* write_end() returns the first one, also when a pause ended well */
	w->err = w->err ? w->err : err;
	/* the manifest has it, too, where names may not be told */
	len = anon_on() ? 0 : snprintf(w->stop_reason, sizeof(w->stop_reason), "%.100s: ", w->dir);
	va_start(ap, fmt);
	vsnprintf(w->stop_reason + len, sizeof(w->stop_reason) - (size_t)len, fmt, ap);
	va_end(ap);
	w->failed = err == -EIO;
	w->paused = err == -ENOSPC || err == -EDQUOT || w->failed;
	w->room_ns = mono_ns();
	spool_rest(w->spool);
	if (w->n_failures <= 1) /* the next ones are of the same trouble */
		log_error("writing %s: %s",
			  w->failed ? "paused, retrying" :
			  w->paused ? "paused until there is space" :
				      "stopped",
			  w->stop_reason);
	for (int i = 0; i < N_STREAMS; i++) {
		/* a full disk may have room for one more buffer: errors are expected */
		if (segment_is_started(&w->segments[i]) && !w->failed)
			segment_flush(&w->segments[i], w->dir_fd);
		end_segment(w, &w->segments[i]);
	}
	report_progress(w);
}

static void stop_for_error(struct writer *w, int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		stop(w, err,
		     "%s: free some space, choose another disk with -o, or limit the trace with "
		     "--max-disk",
		     strerror(-err));
		break;
	case EIO:
		w->n_failures++;
		stop(w, err, "%s: the disk failed, a new segment did not help: look at dmesg",
		     strerror(-err));
		break;
	case ENOENT:
		stop(w, err, "the directory was removed while it was being written");
		break;
	case ENOTDIR:
	case EPERM:
		stop(w, err, "one of its folders was replaced");
		break;
	case EFBIG:
		stop(w, err, "%s: not even one row fits: raise ulimit -f", strerror(-err));
		break;
	default:
		stop(w, err, "cannot write: %s", strerror(-err));
	}
}

/* Each stream goes on with a new segment, at its next row. */
static void resume(struct writer *w)
{
	/* a later pause shows the sum of all so far */
	uint64_t rows = 0;

	for (int i = 0; i < N_STREAMS; i++)
		rows += w->failed ? w->disk_error[i] : w->no_room[i];
	if (!w->failed)
		log_note("space available again, writing continues; %llu rows lost so far",
			 (unsigned long long)rows);
	else if (w->n_failures <= 1)
		log_note("retrying; %llu rows lost so far", (unsigned long long)rows);
	w->paused = false;
	w->stop_reason[0] = '\0';
	report_progress(w);
}

/* What is written so far is a segment; the rest of the buffer goes into the next one. */
static int flush_anew(struct writer *w, struct segment *seg)
{
	int err;

	queue_segment(w, seg);
	err = start_segment(w, seg);
	return err ? err : segment_flush(seg, w->dir_fd);
}

/*
 * Buffer to file; where one file may not grow further, the rest goes into the next, and where the
 * disk fails it is tried with another place on it, once.
 */
static int flush_segment(struct writer *w, struct segment *seg)
{
	int err = segment_flush(seg, w->dir_fd);

	if (err == -EIO) {
		log_warn("%s/%s: %s: %llu rows kept, continuing in a new segment", w->dir,
			 seg->path, strerror(EIO), (unsigned long long)seg->n_rows);
		err = flush_anew(w, seg);
	}
	if ((err == -ENOSPC || err == -EDQUOT) && spool_rest(w->spool))
		err = segment_flush(seg, w->dir_fd);
	while (err == -EFBIG && seg->n_rows)
		err = flush_anew(w, seg);
	if (!err && seg->n_rows)
		w->n_failures = 0;
	seg->clean_ns = w->tick_ns;
	if (err)
		stop_for_error(w, err);
	else
		report_progress(w);
	return err;
}

static int close_segment(struct writer *w, struct segment *seg)
{
	int err = flush_segment(w, seg);

	if (!err) {
		queue_segment(w, seg);
		report_progress(w); /* its bytes are no longer those of an open segment */
	}
	return err;
}

/* ---- rows ---- */

void write_stream(struct writer *w, enum stream_id stream)
{
	w->on[stream] = true;
}

/* For a row that waits: in memory alone. */
static int make_room_in_buffer(struct writer *w, struct segment *seg, size_t len)
{
	if (!segment_is_started(seg))
		return start_segment(w, seg);
	return segment_holds(seg, len) ? 0 : -ENOSPC;
}

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

static void __attribute__((noinline))
add_slowly(struct writer *w, struct segment *seg, const char *row, size_t len, uint64_t real_ns)
{
	int err = make_room(w, seg, len);

	if (err && waits_for_room(w, seg))
		err = make_room_in_buffer(w, seg, len);
	if (err)
		give_up(w, seg->stream, 1);
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

/* ---- rows that wait ---- */

bool write_waiting_is_due(struct writer *w)
{
	if (w->stop_reason[0] || !spool_is_due(w->spool, w->tick_ns))
		return false;
	if (writer_free_bytes(w->dir_fd) >= w->options.min_free + WAITING_ROOM)
		return true;
	spool_rest(w->spool);
	return false;
}

void write_waiting(struct writer *w, enum stream_id stream, const char *row, size_t len,
		   uint64_t key)
{
	spool_row(w->spool, stream, row, len, key);
}

void write_waiting_end(struct writer *w, enum stream_id stream, uint64_t first)
{
	struct segment *seg = &w->segments[stream];

	spool_flush(w->spool, stream);
	/* what waits no more may still be in the buffer */
	if (spool_is_done(w->spool, stream, first) && !w->stop_reason[0] && !flush_segment(w, seg))
		spool_clear(w->spool, stream, first);
}

void write_published(struct writer *w, const struct manifest_segment *segment)
{
	w->on[segment->stream] = true;
	w->closed_rows[segment->stream] += segment->rows;
	w->closed_bytes[segment->stream] += segment->csv_bytes;
	finish_published(w->finish, segment);
}

int write_dir_fd(const struct writer *w)
{
	return w->dir_fd;
}

void write_beside(struct writer *w, enum write_beside what, uint64_t bytes)
{
	w->beside[what] = bytes;
	finish_beside(w->finish, w->beside[WRITE_SNAPSHOTS] + w->beside[WRITE_SUMMARIES]);
}

void write_rotate(struct writer *w)
{
	for (int i = 0; i < N_STREAMS; i++)
		if (segment_is_started(&w->segments[i]) && !w->stop_reason[0])
			close_segment(w, &w->segments[i]);
}

void writer_last_try(struct writer *w)
{
	for (int i = 0; i < N_STREAMS; i++) {
		struct segment *seg = &w->segments[i];

		if (segment_is_started(seg)) {
			segment_flush(seg, w->dir_fd);
			give_up(w, seg->stream, segment_drop(seg));
			queue_segment(w, seg);
		}
	}
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

static void check_free(struct writer *w)
{
	uint64_t left = writer_free_bytes(w->dir_fd);

	if (left < w->options.min_free)
		stop(w, -ENOSPC,
		     "%.1f MiB are left, less than --min-free %.1f MiB: free some space, "
		     "choose another disk with -o, or limit the trace with --max-disk",
		     writer_mib(left), writer_mib(w->options.min_free));
}

static uint64_t pause_ns(const struct writer *w)
{
	unsigned n = w->failed && w->n_failures ? w->n_failures - 1 : 0;

	return room_every_ns << (n < MOST_PAUSES ? n : MOST_PAUSES);
}

enum write_state write_tick(struct writer *w)
{
	w->tick_ns = mono_ns();
	if (is_unlinked(w->dir_fd))
		stop_for_error(w, -ENOENT);
	/* not for stopped ones: a directory that was removed does not come back */
	if (w->paused && w->tick_ns - w->room_ns >= pause_ns(w)) {
		w->room_ns = w->tick_ns;
		if (writer_has_room(w))
			resume(w);
	}
	if (w->options.min_free && !w->stop_reason[0])
		check_free(w);
	for (int i = 0; i < N_STREAMS && !w->stop_reason[0]; i++)
		if (segment_is_started(&w->segments[i]))
			tick_segment(w, &w->segments[i]);
	report_progress(w);
	if (!w->stop_reason[0])
		return WRITE_OK;
	return w->paused ? WRITE_PAUSED : WRITE_STOPPED;
}
