/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the use of zlib for output. A segment is compressed as a whole after it
 * is closed, so the row path never waits for it. Prints nothing.
 */
#include "base/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum { PIECE = 128 * 1024, LEVEL = 5, GZIP_WINDOW = 15 + 16, MEMORY = 8 };

struct copy {
	z_stream z;
	int out;
	struct sha256 *sum;
	uint64_t n_bytes;
	unsigned char in_buf[PIECE];
	unsigned char out_buf[PIECE];
};

static int deflate_piece(struct copy *c, int flush)
{
	do {
		size_t len;
		int err;

		c->z.next_out = c->out_buf;
		c->z.avail_out = PIECE;
		if (deflate(&c->z, flush) == Z_STREAM_ERROR)
			return -EIO;
		len = PIECE - c->z.avail_out;
		err = file_write_all(c->out, c->out_buf, len, NULL);
		if (err)
			return err;
		sha256_update(c->sum, c->out_buf, len);
		c->n_bytes += len;
	} while (c->z.avail_out == 0);
	return 0;
}

static int copy_all(struct copy *c, int in, gzip_go_on_fn *go_on, void *arg)
{
	off_t at = 0;
	ssize_t n;
	int err;

	do {
		if (go_on && !go_on(arg))
			return -ECANCELED;
		do {
			n = pread(in, c->in_buf, PIECE, at);
		} while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno;
		at += n;
		c->z.next_in = c->in_buf;
		c->z.avail_in = (uInt)n;
		err = deflate_piece(c, n ? Z_NO_FLUSH : Z_FINISH);
		if (err)
			return err;
	} while (n);
	return 0;
}

int gzip_copy(int in, int out, struct sha256 *sum, uint64_t *n_bytes, gzip_go_on_fn *go_on,
	      void *arg)
{
	struct copy *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	*n_bytes = 0;
	if (!c)
		return -ENOMEM;
	c->out = out;
	c->sum = sum;
	/* without deflateSetHeader the time stamp is 0, which is what we want */
	if (deflateInit2(&c->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) ==
	    Z_OK) {
		err = copy_all(c, in, go_on, arg);
		deflateEnd(&c->z);
	}
	*n_bytes = c->n_bytes;
	free(c);
	return err;
}
