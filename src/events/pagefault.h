/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream pagefault: faults on mappings of files to rows. */
#pragma once

#include <stddef.h>

#include "row/format.h"
#include "row/records.h"

struct pagefault_row {
	const struct iot_fault *rec;
	u64 start;
	const char *type;
	const char *mapping; /* SHARED, PRIVATE or empty */
	uint64_t pages;
	uint32_t mntns;
	const char *severity;
	struct format_text path;
	u64 ino;
	u64 index; /* FORMAT_UNKNOWN */
	u64 latency;
	u32 dev;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t pagefault_row(char *out, const struct pagefault_row *row);
