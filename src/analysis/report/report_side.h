/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of one of two traces that are compared, by name: from memory or from a temporary file. */
#pragma once

#include "analysis/files/files_printer.h"
#include "analysis/report/report.h"

struct report_side {
	struct files_answer answer;
	struct files_sorted *sorted; /* of the answer; NULL: they come from runs */
	uint64_t at;
	struct files_runs *runs;
	struct files_entry entry; /* the next one */
	bool has;
};

/* With the first one. Returns 0 or -errno; to be closed in any case. */
int report_side_open(struct report_side *side, struct report *report);
void report_side_next(struct report_side *side);
void report_side_close(struct report_side *side);
