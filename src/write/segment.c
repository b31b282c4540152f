/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns one segment from its first row to its last. The buffer remembers where
 * each row ends and when it was, so that a disk that fills up in the middle of
 * a write still leaves a file of whole rows with the right count and times.
 */
#include "write/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/below.h"
#include "base/file.h"

enum {
	HEADER_SIZE = 4096,
	ROW_MAX = 64 * 1024 * 1024,
	ENDINGS_SIZE = 16, /* ".", ".gz", ".part" come on top of a path */
};

void segment_init(struct segment *seg, enum stream_id stream, uint64_t omitted)
{
	memset(seg, 0, sizeof(*seg));
	seg->stream = stream;
	seg->omitted = omitted;
	seg->fd = -1;
}

void segment_free(struct segment *seg)
{
	if (seg->fd >= 0)
		close(seg->fd);
	free(seg->buf);
	free(seg->row_end);
	free(seg->row_time);
	segment_init(seg, seg->stream, seg->omitted);
}

static int make_buffers(struct segment *seg)
{
	if (seg->buf)
		return 0;
	seg->buf = malloc(SEGMENT_BUFFER_SIZE);
	seg->row_end = malloc(SEGMENT_BUFFER_ROWS * sizeof(*seg->row_end));
	seg->row_time = malloc(SEGMENT_BUFFER_ROWS * sizeof(*seg->row_time));
	if (!seg->buf || !seg->row_end || !seg->row_time) {
		segment_free(seg);
		return -ENOMEM;
	}
	seg->capacity = SEGMENT_BUFFER_SIZE;
	return 0;
}

/* Folds the limits of the file into those of the buffer: one comparison per row. */
static void set_limits(struct segment *seg)
{
	const struct segment_limits *limits = &seg->limits;
	uint64_t bytes = seg->capacity;
	uint64_t rows = SEGMENT_BUFFER_ROWS;

	if (limits->size && limits->size < seg->n_bytes + bytes)
		bytes = limits->size > seg->n_bytes ? limits->size - seg->n_bytes : 0;
	if (limits->rows && limits->rows < seg->n_rows + rows)
		rows = limits->rows > seg->n_rows ? limits->rows - seg->n_rows : 0;
	seg->limit = (uint32_t)bytes;
	seg->max_buffered = (uint32_t)rows;
}

static int make_name(struct segment *seg, uint64_t number)
{
	const char *name = streams[seg->stream].name;
	struct timespec now;
	struct tm tm;
	char when[32];
	int len;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &tm);
	len = snprintf(seg->path, sizeof(seg->path), "%s/%s_%s_%03ld_%04llu.csv", name, name, when,
		       now.tv_nsec / 1000000, (unsigned long long)number);
	return len < (int)sizeof(seg->path) - ENDINGS_SIZE ? 0 : -ENAMETOOLONG;
}

static void begin(struct segment *seg, const struct segment_limits *limits, uint64_t mono_ns)
{
	seg->limits = *limits;
	seg->opened_ns = mono_ns;
	seg->clean_ns = mono_ns;
	seg->n_rows = 0;
	seg->n_bytes = schema_header(seg->stream, seg->omitted, NULL, 0);
	seg->first_ns = 0;
	seg->last_ns = 0;
	set_limits(seg);
}

int segment_start(struct segment *seg, uint64_t number, const struct segment_limits *limits,
		  uint64_t mono_ns)
{
	int err = make_buffers(seg);

	if (!err)
		err = make_name(seg, number);
	if (!err)
		begin(seg, limits, mono_ns);
	return err;
}

int segment_start_as(struct segment *seg, const char *path, const struct segment_limits *limits,
		     uint64_t mono_ns)
{
	int err = make_buffers(seg);

	if (err)
		return err;
	if (strlen(path) >= sizeof(seg->path) - ENDINGS_SIZE)
		return -ENAMETOOLONG;
	strcpy(seg->path, path);
	begin(seg, limits, mono_ns);
	return 0;
}

int segment_reserve(struct segment *seg, size_t len)
{
	char *buf;

	if (len <= seg->capacity)
		return 0;
	/* no row is as long, and capacity has 32 bits */
	if (len > ROW_MAX)
		return -EMSGSIZE;
	buf = realloc(seg->buf, len);
	if (!buf)
		return -ENOMEM;
	seg->buf = buf;
	seg->capacity = (uint32_t)len;
	set_limits(seg);
	return 0;
}

bool segment_holds(const struct segment *seg, size_t len)
{
	return seg->used + len <= seg->capacity && seg->n_buffered < SEGMENT_BUFFER_ROWS;
}

bool segment_is_full(const struct segment *seg, size_t len)
{
	uint64_t rows = segment_rows(seg);

	if (!rows)
		return false;
	if (seg->limits.rows && rows >= seg->limits.rows)
		return true;
	return seg->limits.size && seg->n_bytes + seg->used + len > seg->limits.size;
}

void segment_part_path(const char *path, char part[SEGMENT_PATH_SIZE])
{
	static const char ending[] = ".part";
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash + 1 - path) : 0;
	size_t len = strlen(path); /* make_name left room */

	memcpy(part, path, dir);
	part[dir] = '.';
	memcpy(part + dir + 1, path + dir, len - dir);
	memcpy(part + len + 1, ending, sizeof(ending));
}

/* Not counted here: n_bytes has had its length since the segment was started. */
static int write_header(struct segment *seg)
{
	char header[HEADER_SIZE];
	size_t len = schema_header(seg->stream, seg->omitted, header, sizeof(header));

	return len < sizeof(header) ? file_write_all(seg->fd, header, len, NULL) : -EMSGSIZE;
}

static int create_file(struct segment *seg, int dir_fd)
{
	/* one that someone removed is made again; a session directory is not: ENOENT */
	int folder = below_folder(dir_fd, streams[seg->stream].name);
	char part[SEGMENT_PATH_SIZE];
	int err;

	if (folder < 0)
		return folder;
	close(folder);
	segment_part_path(seg->path, part);
	/* readable: the checksum is taken from the file */
	seg->fd = below_create(dir_fd, part, O_RDWR);
	if (seg->fd < 0)
		return seg->fd;
	err = write_header(seg);
	if (err) {
		below_unlink(dir_fd, part);
		close(seg->fd);
		seg->fd = -1;
	}
	return err;
}

/* The first n buffered rows are in the file. */
static void account(struct segment *seg, uint32_t n)
{
	uint32_t bytes = n ? seg->row_end[n - 1] : 0;

	if (n && !seg->n_rows)
		seg->first_ns = seg->last_ns = seg->row_time[0];
	/* late rows exist: the order is nearly, not exactly, that of time */
	for (uint32_t i = 0; i < n; i++) {
		if (seg->row_time[i] < seg->first_ns)
			seg->first_ns = seg->row_time[i];
		if (seg->row_time[i] > seg->last_ns)
			seg->last_ns = seg->row_time[i];
	}
	seg->n_rows += n;
	seg->n_bytes += bytes;
	seg->used -= bytes;
	seg->n_buffered -= n;
	memmove(seg->buf, seg->buf + bytes, seg->used);
	for (uint32_t i = 0; i < seg->n_buffered; i++) {
		seg->row_end[i] = seg->row_end[i + n] - bytes;
		seg->row_time[i] = seg->row_time[i + n];
	}
	set_limits(seg);
}

/* Takes back the part of a row that made it into the file. */
static void cut_back(struct segment *seg, size_t written)
{
	uint32_t n = 0;

	while (n < seg->n_buffered && seg->row_end[n] <= written)
		n++;
	account(seg, n);
	if (ftruncate(seg->fd, (off_t)seg->n_bytes) == 0)
		lseek(seg->fd, (off_t)seg->n_bytes, SEEK_SET);
}

int segment_flush(struct segment *seg, int dir_fd)
{
	size_t written = 0;
	int err = 0;

	if (!seg->n_buffered)
		return 0;
	if (seg->fd < 0)
		err = create_file(seg, dir_fd);
	if (err)
		return err;
	err = file_write_all(seg->fd, seg->buf, seg->used, &written);
	if (err)
		cut_back(seg, written);
	else
		account(seg, seg->n_buffered);
	return err;
}

uint32_t segment_drop(struct segment *seg)
{
	uint32_t n = seg->n_buffered;

	seg->n_buffered = 0;
	seg->used = 0;
	if (segment_is_started(seg))
		set_limits(seg);
	return n;
}

int segment_release(struct segment *seg)
{
	int fd = seg->fd;

	seg->fd = -1;
	seg->path[0] = '\0';
	seg->n_rows = 0;
	/* the next row takes the slow path, which starts a segment */
	seg->limit = 0;
	seg->max_buffered = 0;
	return fd;
}
