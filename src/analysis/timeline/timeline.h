/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session directory as a timeline: the rows of all streams on one clock, as
 * tracks, slices, arrows and counters. Read once, row by row; memory is that of
 * the threads and of the requests in flight.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/row_filter.h"
#include "analysis/timeline/timeline_encoder.h"
#include "read/read_session.h"

struct timeline_totals {
	uint64_t rows;
	uint64_t slices;
	uint64_t requests;  /* of io_uring that were submitted */
	uint64_t open;      /* of them, without a completion: open to the end */
	uint64_t unmatched; /* completions without a submission */
};
