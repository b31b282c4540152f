/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest operation of each stream. */
#ifndef IOT_REPORT_SLOWEST_H
#define IOT_REPORT_SLOWEST_H

#include "analysis/report/report_fields.h"
#include "analysis/report/report_tally.h"
#include "row/parse.h"

/* A row of the stream took so long; with_path: its path is that of a file. */
void report_note_slowest(struct report_tally *tally, enum stream_id stream, const struct field *f,
			 const struct field *operation, uint64_t latency_ns, bool with_path);

#endif
