/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream layers: what the kernel has counted, to rows. */
#pragma once

#include <stddef.h>

#include "row/records.h"

struct layers_row {
	u64 when;
	u32 pid;
	char comm[16];
	const char *layer;
	const char *operation;
	const char *class; /* "" */
	struct iot_count added;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t layers_row(char *out, const struct layers_row *row);
