/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the bytes of a file of rows: reads, checksum, inflating. Knows no rows. */
#include "read/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 128 * 1024, ANY_GZIP = 15 + 16 };

int source_open(struct source *source, int fd, bool compressed, struct sha256 *sum)
{
	*source = (struct source){ .fd = fd, .sum = sum };
	if (!compressed)
		return 0;
	source->in = malloc(PIECE);
	if (source->in && inflateInit2(&source->z, ANY_GZIP) == Z_OK)
		return 0;
	free(source->in);
	source->in = NULL;
	return -ENOMEM;
}

void source_close(struct source *source)
{
	if (source->in)
		inflateEnd(&source->z);
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

	source->z.next_in = source->in;
	source->z.avail_in = n > 0 ? (uInt)n : 0;
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
	bool more = source->z.avail_in > 0;
	ssize_t n = more ? 0 : fill(source);

	if (n < 0)
		return (int)n;
	return finish(source, more || n ? SOURCE_MORE : SOURCE_ENDED);
}

/* One step of inflate; it may need bytes that are not there yet. Returns 0 or -errno. */
static int inflate_some(struct source *source)
{
	ssize_t n = source->z.avail_in ? 1 : fill(source);
	int result;

	if (n < 0)
		return (int)n;
	if (!n) {
		source->state = SOURCE_CUT;
		return 0;
	}
	result = inflate(&source->z, Z_NO_FLUSH);
	if (result == Z_MEM_ERROR)
		return -ENOMEM;
	if (result == Z_STREAM_END)
		source->stream_ended = true;
	else if (result != Z_OK && result != Z_BUF_ERROR)
		return finish(source, SOURCE_DAMAGED);
	return 0;
}

static ssize_t read_inflated(struct source *source, char *out, size_t size)
{
	int err = 0;

	source->z.next_out = (Bytef *)out;
	source->z.avail_out = (uInt)size;
	while (!err && source->state == SOURCE_GOING && source->z.avail_out == size)
		err = source->stream_ended ? end_of_stream(source) : inflate_some(source);
	return err ? err : (ssize_t)(size - source->z.avail_out);
}

ssize_t source_read(struct source *source, char *out, size_t size)
{
	ssize_t n;

	if (source->state != SOURCE_GOING)
		return 0;
	if (source->in)
		return read_inflated(source, out, size);
	n = read_bytes(source, out, size);
	if (!n)
		source->state = SOURCE_ENDED;
	return n;
}
