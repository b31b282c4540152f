/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the files of rows that wait. They are a copy: whatever fails here costs no row of a segment,
 * and is told with -v alone.
 */
#include "write/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/below.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

enum { BUFFER_SIZE = 256 * 1024, HEADER_SIZE = 4096 };

static const uint64_t every_ns = 90000000; /* as segments are flushed */
static const uint64_t rest_ns = 60000000000;

struct spool_file {
	int fd; /* -1: none yet */
	uint64_t n_bytes;
	uint64_t last; /* the highest key in it */
};

struct spool {
	int dir_fd;
	const struct schema_omitted *omitted;
	uint64_t max;     /* bytes of all files */
	uint64_t next_ns; /* CLOCK_MONOTONIC */
	bool is_resting;
	struct spool_stream {
		struct spool_file files[SPOOL_FILES];
		unsigned current;
	} streams[N_STREAMS];
	size_t used;
	char buf[BUFFER_SIZE]; /* of the stream whose turn it is */
};

void spool_path(enum stream_id stream, unsigned which, char path[SPOOL_PATH_SIZE])
{
	const char *name = streams[stream].name;

	snprintf(path, SPOOL_PATH_SIZE, "%.40s/.%.40s.waiting.%u", name, name, which);
}

struct spool *spool_open(int dir_fd, const struct schema_omitted *omitted, uint64_t max)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return NULL;
	spool->dir_fd = dir_fd;
	spool->omitted = omitted;
	spool->max = max;
	for (int i = 0; i < N_STREAMS; i++)
		for (int k = 0; k < SPOOL_FILES; k++)
			spool->streams[i].files[k].fd = -1;
	return spool;
}

static void remove_file(struct spool *spool, enum stream_id stream, unsigned which)
{
	struct spool_file *file = &spool->streams[stream].files[which];
	char path[SPOOL_PATH_SIZE];

	if (file->fd < 0)
		return;
	/* first: what is closed after it was cut short and written again would be written out (ext4) */
	if (ftruncate(file->fd, 0))
		log_detail("spool of %s: cannot be emptied", streams[stream].name);
	spool_path(stream, which, path);
	below_unlink(spool->dir_fd, path);
	close(file->fd);
	*file = (struct spool_file){ .fd = -1 };
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	for (int i = 0; i < N_STREAMS; i++)
		for (unsigned k = 0; k < SPOOL_FILES; k++)
			remove_file(spool, i, k);
	free(spool);
}

static void empty_file(struct spool *spool, enum stream_id stream, unsigned which)
{
	struct spool_file *file = &spool->streams[stream].files[which];
	struct stat st;

	file->n_bytes = file->last = 0;
	/* one that someone removed is made again */
	if (ftruncate(file->fd, 0) || fstat(file->fd, &st) || !st.st_nlink)
		remove_file(spool, stream, which);
}

bool spool_is_due(struct spool *spool, uint64_t now)
{
	if (now < spool->next_ns)
		return false;
	spool->next_ns = now + every_ns;
	spool->is_resting = false;
	return true;
}

/* An empty one begins with the header row. */
static int begin_file(struct spool *spool, enum stream_id stream)
{
	struct spool_stream *s = &spool->streams[stream];
	struct spool_file *file = &s->files[s->current];
	char header[HEADER_SIZE], path[SPOOL_PATH_SIZE];
	int folder;

	if (file->fd < 0) {
		folder = below_folder(spool->dir_fd, streams[stream].name);
		if (folder < 0)
			return folder;
		close(folder);
		spool_path(stream, s->current, path);
		file->fd = below_create(spool->dir_fd, path, O_WRONLY | O_APPEND);
		if (file->fd < 0)
			return file->fd;
	}
	file->n_bytes = schema_header(stream, spool->omitted->columns[stream], header,
				      sizeof(header));
	return file_write_all(file->fd, header, file->n_bytes, NULL);
}

static bool has_room(const struct spool *spool, const struct spool_file *file)
{
	return spool_bytes(spool) + spool->used <= spool->max &&
	       file->n_bytes + spool->used <= SPOOL_FILE_MAX;
}

void spool_flush(struct spool *spool, enum stream_id stream)
{
	struct spool_stream *s = &spool->streams[stream];
	struct spool_file *file = &s->files[s->current];
	int err;

	if (!spool->used)
		return;
	/* all or nothing: later rows would be known, and these not */
	err = has_room(spool, file) ? 0 : -ENOSPC;
	if (!err && !file->n_bytes)
		err = begin_file(spool, stream);
	if (!err)
		err = file_write_all(file->fd, spool->buf, spool->used, NULL);
	file->n_bytes += spool->used;
	spool->used = 0;
	if (err) {
		log_detail("waiting rows are not copied for a while: %s", strerror(-err));
		spool_rest(spool);
	} else if (!s->files[!s->current].n_bytes) {
		s->current = !s->current;
	}
}

void spool_row(struct spool *spool, enum stream_id stream, const char *row, size_t len,
	       uint64_t key)
{
	struct spool_stream *s = &spool->streams[stream];
	struct spool_file *file;

	/*
	 * one buffer for all streams: the caller ends each with spool_flush() before the next
	 * begins
	 */
	if (spool->used + len > sizeof(spool->buf))
		spool_flush(spool, stream);
	if (spool->is_resting || len > sizeof(spool->buf)) /* no row is as long */
		return;
	file = &s->files[s->current];
	memcpy(spool->buf + spool->used, row, len);
	spool->used += len;
	file->last = key > file->last ? key : file->last;
}

static bool is_done(const struct spool_file *file, uint64_t first)
{
	return file->n_bytes && file->last < first;
}

bool spool_is_done(const struct spool *spool, enum stream_id stream, uint64_t first)
{
	const struct spool_file *files = spool->streams[stream].files;

	return is_done(&files[0], first) || is_done(&files[1], first);
}

void spool_clear(struct spool *spool, enum stream_id stream, uint64_t first)
{
	struct spool_stream *s = &spool->streams[stream];

	for (unsigned k = 0; k < SPOOL_FILES; k++)
		if (is_done(&s->files[k], first))
			empty_file(spool, stream, k);
}

bool spool_rest(struct spool *spool)
{
	bool any = spool_bytes(spool) > 0;

	for (int i = 0; i < N_STREAMS; i++)
		for (unsigned k = 0; k < SPOOL_FILES; k++)
			if (spool->streams[i].files[k].n_bytes)
				empty_file(spool, i, k);
	spool->next_ns = mono_ns() + rest_ns;
	spool->is_resting = true;
	spool->used = 0;
	return any;
}

uint64_t spool_bytes(const struct spool *spool)
{
	uint64_t bytes = 0;

	for (int i = 0; i < N_STREAMS; i++)
		for (unsigned k = 0; k < SPOOL_FILES; k++)
			bytes += spool->streams[i].files[k].n_bytes;
	return bytes;
}
