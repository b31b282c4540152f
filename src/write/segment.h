/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One open CSV segment of one stream: its name, its buffer of whole rows and
 * its file, which appears as a dot file ending in .part. Ends every failure at
 * a row boundary. Knows neither when to rotate nor what follows a close.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "row/schema.h"

#define SEGMENT_BUFFER_SIZE (256 * 1024)
#define SEGMENT_BUFFER_ROWS 8192
#define SEGMENT_PATH_SIZE 128

struct segment_limits {
	uint64_t size; /* bytes of the file; 0: none */
	uint64_t rows; /* 0: none */
};

struct segment {
	/* what every row touches */
	char *buf;
	uint32_t *row_end;  /* of each buffered row, within buf */
	uint64_t *row_time; /* ns, CLOCK_REALTIME */
	uint32_t used;
	uint32_t limit; /* used may grow to here without a question asked; may be less */
	uint32_t n_buffered;
	uint32_t max_buffered;

	uint32_t capacity;
	enum stream_id stream;
	uint64_t omitted; /* columns: schema_header() */
	struct segment_limits limits;
	char path[SEGMENT_PATH_SIZE]; /* final, below the session directory; empty: not started */
	uint64_t opened_ns;           /* CLOCK_MONOTONIC */
	uint64_t clean_ns;            /* CLOCK_MONOTONIC; the buffer was empty then */
	int fd;                       /* -1: no file yet */
	uint64_t n_rows;              /* whole rows in the file */
	uint64_t n_bytes;             /* in the file, the header row included, once there is one */
	uint64_t first_ns;            /* of the rows in the file */
	uint64_t last_ns;
};

/* A zeroed segment needs segment_init; segment_free leaves it as init did. */
void segment_init(struct segment *seg, enum stream_id stream, uint64_t omitted);
void segment_free(struct segment *seg);

/*
 * Names a new segment by the wall clock and its number. Rows that are still
 * buffered belong to it. The file is made by the first flush, so that a killed
 * run leaves no file without rows. Returns 0 or -ENOMEM.
 */
int segment_start(struct segment *seg, uint64_t number, const struct segment_limits *limits,
		  uint64_t mono_ns);

/* The same under a name of the caller's, below the session directory. */
int segment_start_as(struct segment *seg, const char *path, const struct segment_limits *limits,
		     uint64_t mono_ns);

/* Whether a row of len bytes still fits into the buffer, whatever the limits of the file are. */
bool segment_holds(const struct segment *seg, size_t len);

/* Room for a row of len bytes in an empty buffer. Returns 0, -ENOMEM or -EMSGSIZE. */
int segment_reserve(struct segment *seg, size_t len);

/* The caller has made sure of the room. */
static inline void segment_put(struct segment *seg, const char *row, size_t len, uint64_t real_ns)
{
	memcpy(seg->buf + seg->used, row, len);
	seg->used += (uint32_t)len;
	seg->row_end[seg->n_buffered] = seg->used;
	seg->row_time[seg->n_buffered] = real_ns;
	seg->n_buffered++;
}

/* False: not started, full, or a limit would be passed; the slow path decides. */
static inline bool segment_add(struct segment *seg, const char *row, size_t len, uint64_t real_ns)
{
	if (seg->used + len > seg->limit || seg->n_buffered >= seg->max_buffered)
		return false;
	segment_put(seg, row, len, real_ns);
	return true;
}

static inline bool segment_is_started(const struct segment *seg)
{
	return seg->path[0] != '\0';
}

/* Rows in the file and in the buffer. */
static inline uint64_t segment_rows(const struct segment *seg)
{
	return seg->n_rows + seg->n_buffered;
}

/* True when the limits ask for a new segment before a row of len bytes; never without rows. */
bool segment_is_full(const struct segment *seg, size_t len);

/*
 * Buffer to file. On failure (-errno) the file ends with its last complete row
 * and the rows that did not fit are still buffered; -ENOENT means that the
 * directory is gone.
 */
int segment_flush(struct segment *seg, int dir_fd);

/* Forgets the buffered rows; returns how many there were. */
uint32_t segment_drop(struct segment *seg);

/*
 * Ends the segment: the file stays under its .part name and its descriptor
 * (-1: there is none) belongs to the caller. Buffered rows stay buffered.
 */
int segment_release(struct segment *seg);

/* "fs/fs_….csv" to "fs/.fs_….csv.part" */
void segment_part_path(const char *path, char part[SEGMENT_PATH_SIZE]);
