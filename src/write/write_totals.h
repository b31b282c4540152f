/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a directory has, and what could not be written. */
#pragma once

#include <stdint.h>

#include "row/schema.h"

struct write_totals {
	uint64_t rows[N_STREAMS];         /* written (in closed or open segments) */
	uint64_t bytes[N_STREAMS];        /* before compression, header rows included */
	uint64_t unwritable[N_STREAMS];   /* rows that could not be written */
	uint64_t no_room[N_STREAMS];      /* of these, because the disk was full */
	uint64_t disk_error[N_STREAMS];   /* and because it failed (EIO) */
	uint64_t evicted_rows[N_STREAMS]; /* rows in segments removed by max_disk */
	uint64_t evicted_segments;
	uint64_t segments;   /* closed under their final name */
	uint64_t disk_bytes; /* what the directory holds now */
};

/* What is in the directory besides segments and manifest. */
enum write_beside { WRITE_SNAPSHOTS, WRITE_SUMMARIES, N_WRITE_BESIDE };
