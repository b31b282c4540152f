/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A load as distributions: how large, how sequential, how often synced. */
#pragma once

#include <stdint.h>

#include "analysis/fio/fio_rows.h"
#include "analysis/fio/fio_skew.h"

enum { FIO_SIZES = 16, FIO_MOVES = 2 /* 0: reads, 1: writes */ };

/* Requests of one size, or, where there are too many of them, of sizes that are close. */
struct fio_size {
	uint64_t n, bytes;
};

struct fio_shape {
	uint64_t n[FIO_MOVES], bytes[FIO_MOVES];
	uint64_t sequential[FIO_MOVES]; /* of n: where the one before in this direction ended */
	uint64_t syncs, datasyncs;
	/* of all calls, added up: more than the time of the trace where several ran at once */
	uint64_t busy_ns;
	uint64_t reach;                              /* of files: the furthest byte, added up */
	struct fio_size sizes[FIO_MOVES][FIO_SIZES]; /* n 0: free, as are those behind */
	/* of what is not sequential: of one file, and of those that were joined to it */
	struct fio_skew skew;
	uint64_t tenths[FIO_TENTHS];
};

/* end: of what was done in this direction before, which becomes that of the row */
void fio_shape_add(struct fio_shape *shape, const struct fio_row *row, uint64_t end[FIO_MOVES]);
void fio_shape_join(struct fio_shape *shape, const struct fio_shape *other);
static inline uint64_t fio_shape_moves(const struct fio_shape *shape)
{
	return shape->n[0] + shape->n[1];
}
