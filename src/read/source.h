/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a file, plain or compressed, in pieces from its start to its end.
 * Read rather than mapped: a file may be shortened while it is looked at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/packing.h"
#include "base/sha256.h"

enum source_state {
	SOURCE_GOING,
	SOURCE_ENDED,
	SOURCE_CUT,     /* the compressed bytes end in the middle */
	SOURCE_DAMAGED, /* they are not what a compressor writes */
	SOURCE_MORE,    /* there are other bytes behind them */
};

struct source {
	int fd; /* the caller's */
	enum source_state state;
	uint64_t bytes;     /* of the file, so far */
	struct sha256 *sum; /* of those bytes; NULL: not wanted */
	unsigned char *in;  /* compressed bytes; NULL: the file is plain */
	bool stream_ended;
	struct packer unpacker;
	struct packing_piece piece;
};

/* Returns 0, -ENOMEM or, of a packing that this build does not know, -ENOTSUP. The zeroed source is closed, and may be closed again. */
int source_open(struct source *source, int fd, enum packing packing, struct sha256 *sum);
void source_close(struct source *source);

/* Up to size bytes of text. Returns how many, 0 at the end, of which state tells, or -errno. */
ssize_t source_read(struct source *source, char *out, size_t size);
