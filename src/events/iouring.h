/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream iouring: rings and requests to rows. */
#pragma once

#include <stddef.h>

#include "row/flags.h"
#include "row/format.h"
#include "row/records.h"

struct iouring_row {
	const struct iot_ring *rec;
	u64 start;
	const char *event;
	struct flags opcode;
	struct flags flags;
	struct format_text path;
	u64 user_data; /* FORMAT_UNKNOWN, and so all below */
	u64 offset;
	u64 length;
	u64 latency;
	u64 buffer;
	u64 sq_fill;
	u64 cq_fill;
	u64 cq_taken;
	s64 result; /* FORMAT_NO_VALUE */
	u64 ino;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t iouring_row(char *out, const struct iouring_row *row);
