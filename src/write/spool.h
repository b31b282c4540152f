/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that still wait for their order, on disk as well: a recorder that is killed leaves them to
 * `iotracer verify --repair`. Each stream has two files in turns; one whose rows are all in
 * segments is emptied, so that hardly any of it reaches the device.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/schema.h"

enum {
	SPOOL_FILES = 2,
	SPOOL_FILE_MAX = 32 * 1024 * 1024, /* bytes; more of them are not kept at all */
	SPOOL_PATH_SIZE = 128,
};

struct spool;

/* dir_fd and omitted are borrowed; max: bytes of all files. NULL without memory */
struct spool *spool_open(int dir_fd, const struct schema_omitted *omitted, uint64_t max);
/* Nothing waits any more: removes the files. */
void spool_close(struct spool *spool);

/* Ten times a second at most, and not while it rests. */
bool spool_is_due(struct spool *spool, uint64_t now);

/* A row with its LF, key: its time. Buffered until spool_flush of the stream. */
void spool_row(struct spool *spool, enum stream_id stream, const char *row, size_t len,
	       uint64_t key);
/* To the current file of the stream, and the other one takes the next rows if it is empty. */
void spool_flush(struct spool *spool, enum stream_id stream);

/*
 * Whether a file has rows and none of them waits: those that do have the key first or a later one.
 */
bool spool_is_done(const struct spool *spool, enum stream_id stream, uint64_t first);
/* Empties it. */
void spool_clear(struct spool *spool, enum stream_id stream, uint64_t first);

/* Empties all, for a minute: the space is for segments. False: there was nothing in them. */
bool spool_rest(struct spool *spool);

/* Of all files, header rows included: they count for max_disk. */
uint64_t spool_bytes(const struct spool *spool);

/* "fs/.fs.waiting.0" */
void spool_path(enum stream_id stream, unsigned which, char path[SPOOL_PATH_SIZE]);
