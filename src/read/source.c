/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the bytes of a file of rows: reads, checksum, inflating. Knows no rows. */
#include "read/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 128 * 1024 };

int source_open(struct source *source, int fd, enum packing packing, struct sha256 *sum)
{
	int err;

	*source = (struct source){ .fd = fd, .sum = sum };
	if (!packing)
		return 0;
	source->in = malloc(PIECE);
	err = source->in ? unpacker_open(&source->unpacker, packing) : -ENOMEM;
	if (err)
		source_close(source);
	return err;
}

void source_close(struct source *source)
{
	unpacker_close(&source->unpacker);
	free(source->in);
	source->in = NULL;
}

/* At its own offset, so that the descriptor's does not matter. */
static ssize_t read_bytes(struct source *source, void *out, size_t size)
{
	ssize_t n;

	do {
		n = pread(source->fd, out, size, (off_t)source->bytes);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	source->bytes += (uint64_t)n;
	if (source->sum && n)
		sha256_update(source->sum, out, (size_t)n);
	return n;
}

/* The next compressed bytes; 0 at the end of the file. */
static ssize_t fill(struct source *source)
{
	ssize_t n = read_bytes(source, source->in, PIECE);

	source->piece.in = source->in;
	source->piece.n_in = n > 0 ? (size_t)n : 0;
	return n;
}

/* The rest of the file is read for its checksum alone. */
static int finish(struct source *source, enum source_state state)
{
	ssize_t n;

	source->state = state;
	do {
		n = fill(source);
	} while (n > 0);
	return (int)n;
}

static int end_of_stream(struct source *source)
{
	bool more = source->piece.n_in > 0;
	ssize_t n = more ? 0 : fill(source);

	if (n < 0)
		return (int)n;
	return finish(source, more || n ? SOURCE_MORE : SOURCE_ENDED);
}

/* One step of unpacking; it may need bytes that are not there yet. Returns 0 or -errno. */
static int unpack_some(struct source *source)
{
	ssize_t n = source->piece.n_in ? 1 : fill(source);
	int result;

	if (n < 0)
		return (int)n;
	if (!n) {
		/* more is wanted than the file has */
		source->state = SOURCE_CUT;
		return 0;
	}
	result = unpacker_step(&source->unpacker, &source->piece);
	if (result < 0)
		return result;
	if (result == PACKING_DAMAGED)
		return finish(source, SOURCE_DAMAGED);
	source->stream_ended = result == PACKING_ENDED;
	return 0;
}

static ssize_t read_unpacked(struct source *source, char *out, size_t size)
{
	int err = 0;

	source->piece.out = (unsigned char *)out;
	source->piece.n_out = size;
	/* 0 bytes would mean the end: so until there is at least one */
	while (!err && source->state == SOURCE_GOING && source->piece.n_out == size)
		err = source->stream_ended ? end_of_stream(source) : unpack_some(source);
	return err ? err : (ssize_t)(size - source->piece.n_out);
}

ssize_t source_read(struct source *source, char *out, size_t size)
{
	ssize_t n;

	if (source->state != SOURCE_GOING)
		return 0;
	if (source->in)
		return read_unpacked(source, out, size);
	n = read_bytes(source, out, size);
	if (!n)
		source->state = SOURCE_ENDED;
	return n;
}
