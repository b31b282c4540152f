/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream lost: what the ledger tells, to rows. */
#pragma once

#include <stddef.h>

#include "row/records.h"
#include "row/schema.h"

struct lost_row {
	u64 when;
	const char *stream;
	const char *reason;
	u64 count;
	s32 cpu;    /* -1: not known */
	u64 factor; /* of the budget, from now on; FORMAT_UNKNOWN: other reasons have none */
	u64 kept;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t lost_row(char *out, const struct lost_row *row);
