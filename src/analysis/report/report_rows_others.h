/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of the network, of threads and of processes. */
#pragma once

#include "analysis/report/report_take.h"

#define TAKES(name)                                                                                \
	void report_take_##name(struct report_tally *tally, const struct report_source *source,    \
				const struct field *fields, uint64_t *over)
TAKES(nw);
TAKES(nw_drop);
TAKES(sched);
TAKES(layers);
TAKES(exec);
/* Of any other stream: an event with a result. */
TAKES(event);
#undef TAKES
