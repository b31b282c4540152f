/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session directory as a timeline: the rows of all streams on one clock, as
 * tracks, slices, arrows and counters. Read once, row by row; memory is that of
 * the threads and of the requests in flight.
 */
#ifndef IOT_TIMELINE_H
#define IOT_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/timeline/timeline_encoder.h"
#include "read/read_session.h"

enum { TIMELINE_MAX_PIDS = 64 };

struct timeline_options {
	const char *from; /* as wall_parse takes them; NULL: all */
	const char *to;
	uint32_t pids[TIMELINE_MAX_PIDS];
	unsigned n_pids; /* 0: all */
};

struct timeline_totals {
	uint64_t rows;
	uint64_t slices;
	uint64_t requests;  /* of io_uring that were submitted */
	uint64_t open;      /* of them, without a completion: open to the end */
	uint64_t unmatched; /* completions without a submission */
};

/* Returns 0, or -errno (reported). Whether out took all of it is what ferror says. */
int timeline_write(const struct read_session *session, const struct timeline_options *options,
		   struct timeline_encoder *encoder, struct timeline_totals *totals);

#endif
