/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the thread that writes and the one that finishes segments tell each other. */
#pragma once

#include <stdint.h>

#include "row/schema.h"
#include "write/manifest.h"

/*
 * What the writing thread tells from time to time. One message with all counters: the
 * manifest must not have rows of one moment and losses of another.
 */
struct finish_progress {
	struct manifest_counts counts;
	uint64_t open_bytes;   /* in files of open segments */
	char stop_reason[256]; /* empty: recording */
};

/* What it hears back. */
struct finish_totals {
	uint64_t segments;
	uint64_t disk_bytes;
	uint64_t evicted_rows[N_STREAMS];
	uint64_t evicted_segments;
	uint64_t lost_rows[N_STREAMS]; /* in segments that could not be kept: directory removed */
};
