/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream cache: pages of files to rows. */
#pragma once

#include <stddef.h>

#include "row/format.h"
#include "row/records.h"

struct cache_row {
	const struct iot_cache *rec;
	const char *event;
	struct format_text path;
	u64 index;  /* FORMAT_UNKNOWN: the event has none */
	u64 offset; /* bytes */
	u64 size;   /* 4 KiB */
	u32 dev;    /* 0: not known */
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t cache_row(char *out, const struct cache_row *row);
