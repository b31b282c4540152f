/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream sched: stays of threads on a CPU to rows. */
#pragma once

#include <stddef.h>

#include "row/flags.h"
#include "row/records.h"

struct sched_row {
	const struct iot_run *rec;
	u64 start;
	struct flags state;
	u64 run; /* FORMAT_UNKNOWN, like the next ones */
	u64 sleep;
	u64 delay;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t sched_row(char *out, const struct sched_row *row);
