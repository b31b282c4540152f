/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a row counts as in amplification: which columns of it are read, and to which sums it is
 * added.
 */
#pragma once

#include "analysis/amp/amp.h"
#include "analysis/amp/unwritten.h"
#include "analysis/common/rows_seen.h"

enum amp_stream { AMP_FS, AMP_DS, AMP_NW, AMP_LAYERS, AMP_N_STREAMS };

/* The columns that all have. */
enum { AMP_MONO, AMP_PID, AMP_COMMAND, AMP_N_COMMON };

/* All columns of a stream; that of the device is the last one, where there is one. */
extern const struct read_query amp_queries[AMP_N_STREAMS];

/* Whose a row is: the caller, or who caused a request. */
struct amp_caller {
	bool known;
	uint64_t pid; /* 0 when not known */
	const char *comm;
	size_t comm_len;
};
struct amp_caller amp_row_caller(enum amp_stream stream, const struct field *f);

/* The file that is read or written by it, or, in brackets, what else. */
struct read_text {
	const char *text;
	size_t len;
};
struct read_text amp_row_file(enum amp_stream stream, const struct field *f,
			      enum amp_direction direction);

/* Whether it is the last column. */
bool amp_has_device(enum amp_stream stream);
/* NULL: it has none. */
const struct field *amp_row_device(enum amp_stream stream, const struct field *f);
/* It is of a file, a device or the network, as far as that is looked at. */
bool amp_row_counts(enum amp_stream stream, const struct field *f);
/* A loop device has had the request already: it counts for its own disk alone. */
bool amp_row_repeats(enum amp_stream stream, const struct field *f);
/* Sums by direction, mostly the same for both. False without memory. */
bool amp_row_add(struct amp_sums *const sums[AMP_N_DIRECTIONS], enum amp_stream stream,
		 const struct field *f);
/* What it says of data that waits in the page cache; owner: see unwritten_end(). */
void amp_row_unwritten(struct unwritten *unwritten, enum amp_stream stream, const struct field *f,
		       void *owner);
extern const struct column_meaning amp_column_meanings[];
