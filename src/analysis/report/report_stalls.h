/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slow changes of a file system while another thread syncs something there. Rows come in the order in which
 * calls began, except that those of calls that took long may come late.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/report/report_fields.h"
#include "analysis/report/report_tally.h"
#include "row/parse.h"

/* Calls that take less are not looked at. */
enum { REPORT_STALL_NS = 1000000 };

enum { REPORT_STALL_CALLS = 32, REPORT_STALL_COMMAND = 16 };

struct report_stall_call {
	uint64_t from, to, tid, device; /* to: 0, none */
	char command[REPORT_STALL_COMMAND];
	struct report_item *kind; /* of a change; NULL: it was counted */
};

/* The last ones of each; the zeroed one has none. */
struct report_stalls {
	struct report_stall_call syncs[REPORT_STALL_CALLS], changes[REPORT_STALL_CALLS];
	unsigned n_syncs, n_changes; /* ever */
};

/*
 * Of a row of fs that took REPORT_STALL_NS or more. Items of REPORT_STALLED have a device as their number, and an operation
 * as their name: how many there were (REPORT_TIMED), how many of them in a sync of another
 * thread (REPORT_COUNT), and how long these took (REPORT_QUEUE_NS); the label is who synced. The one without a name
 * is busy while somebody syncs.
 */
void report_stalls_row(struct report_tally *tally, struct report_item *process,
		       const struct field *fields, unsigned effects);
