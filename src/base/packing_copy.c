/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the loop from a plain file to a compressed one. A segment is compressed as a whole after it
 * is closed, so the row path never waits for it. Prints nothing.
 */
#include "base/packing_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

enum { PIECE = 128 * 1024 };

struct copy {
	struct packer packer;
	int out;
	struct sha256 *sum;
	uint64_t n_bytes;
	unsigned char in_buf[PIECE];
	unsigned char out_buf[PIECE];
};

/* All that n bytes of in_buf give; at the end, until there is no more. */
static int pack_piece(struct copy *c, size_t n, bool end)
{
	struct packing_piece piece = { .in = c->in_buf, .n_in = n };
	enum packing_step step;

	do {
		size_t len;
		int err;

		piece.out = c->out_buf;
		piece.n_out = PIECE;
		step = packer_step(&c->packer, &piece, end);
		if (step == PACKING_DAMAGED)
			return -EIO;
		len = PIECE - piece.n_out;
		err = file_write_all(c->out, c->out_buf, len, NULL);
		if (err)
			return err;
		sha256_update(c->sum, c->out_buf, len);
		c->n_bytes += len;
		/* a full out_buf may mean that the library still holds some of it */
	} while (end ? step != PACKING_ENDED : piece.n_in || !piece.n_out);
	return 0;
}

static int copy_all(struct copy *c, int in, packing_go_on_fn *go_on, void *arg)
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
		err = pack_piece(c, (size_t)n, n == 0);
		if (err)
			return err;
	} while (n);
	return 0;
}

int packing_copy(enum packing packing, int in, int out, struct sha256 *sum, uint64_t *n_bytes,
		 packing_go_on_fn *go_on, void *arg)
{
	struct copy *c = calloc(1, sizeof(*c));
	int err;

	*n_bytes = 0;
	if (!c)
		return -ENOMEM;
	c->out = out;
	c->sum = sum;
	err = packer_open(&c->packer, packing);
	if (!err)
		err = copy_all(c, in, go_on, arg);
	packer_close(&c->packer);
	*n_bytes = c->n_bytes;
	free(c);
	return err;
}
