/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of any stream as what people call an operation: what was done by whom to what, how
 * much, how long, with which result. One list says which column of a stream is which.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/parse.h"
#include "row/schema.h"

enum operation_part {
	OP_TIME,
	OP_EVENT,
	OP_PID,
	OP_TID,
	OP_COMMAND,
	OP_SIZE,    /* u: bytes; lost: events */
	OP_OFFSET,  /* u: bytes */
	OP_LATENCY, /* u: ns */
	OP_RESULT,  /* s: negative errno on failure */
	OP_ERROR,   /* the name of an errno, where there is no result */
	OP_DETAIL,  /* protocol, level, opcode … */
	OP_DEVICE,
	OP_PATH,
	OP_FROM, /* addresses of a connection's ends */
	OP_FROM_PORT,
	OP_TO,
	OP_TO_PORT,
	OP_MNTNS,
	OP_RING,
	OP_FLAGS,
	OP_MONO,      /* u: ns */
	OP_OWNER_PID, /* who caused a request, whoever submitted it */
	OP_OWNER,     /* its command */
	OP_COUNT,     /* of layers: how many the row is the sum of, */
	OP_ERRORS,    /* and how many of them failed */
	OP_CONTAINER, /* of exec */
	N_OPERATION_PARTS
};

struct operation {
	enum stream_id stream;
	const struct field *parts; /* N_OPERATION_PARTS; texts as in the row, without quotes */
};

struct operations;

/* Of a line for people; the others are for sums. */
enum { ALL_OPERATION_PARTS = (1 << OP_MONO) - 1 };

/* wanted: a bit for each part, those of others are never known. NULL without memory */
struct operations *operations_open(unsigned wanted);
void operations_close(struct operations *operations);

/*
 * A row with its line end and SPLIT_PAD readable bytes behind it. The texts are valid until
 * the next call. False: it is malformed.
 */
bool operations_read(struct operations *operations, enum stream_id stream, const char *row,
		     size_t len, struct operation *op);

/*
 * The same without a text of the row (events_values): which column of each stream is which part.
 * Sizes are then in the unit of the stream, numbers have no text.
 */
void operation_places(uint8_t place[N_EVENT_STREAMS][VALUES_MAX_COLUMNS], unsigned wanted);

bool operation_failed(const struct operation *op);
/* The name of the errno that it failed with, of at most 32 bytes; "": it did not fail. */
void operation_error(const struct operation *op, char name[32]);

/* What it adds to sums of operations. */
struct operation_facts {
	bool failed, timed;
	bool reads, writes;
	uint64_t bytes, ns;
};
struct operation_facts operation_facts(const struct operation *op);
