/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts what became of the snapshots of a trace, for the manifest and for people. */
#pragma once

#include <jansson.h>

#include "snapshot/snap.h"

struct snap_report {
	struct snap_options options;
	struct snap_kind_report {
		uint64_t kept;
		uint64_t failed;
		int32_t err;           /* of the latest; 0: it was kept */
		struct snap_done last; /* that was kept */
		struct snap_done last_failed;
	} kinds[N_SNAP_KINDS];
};

/*
 * Says it, too: a failure as a warning, but with -v alone when it is the last one's again, or
 * only the end of the trace.
 */
void snap_report_add(struct snap_report *report, const struct snap_done *done);
/* At the end, in one line: of what there is no snapshot, because the trace ended first. */
void snap_report_absent(const struct snap_report *report);
/* Bytes beside the segments */
uint64_t snap_report_bytes(const struct snap_report *report);
json_t *snap_report_json(const struct snap_report *report);
