/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the time of the operations on a timeline went, as `iotracer why` has it. */
#pragma once

#include "analysis/common/why_rows.h"
#include "analysis/timeline/timeline_encoder.h"

struct timeline_why;

/* Of the processes of a filter. NULL: sched was not recorded, or there is no memory, which *err then says. */
struct timeline_why *timeline_why_open(const struct read_session *session,
				       const struct row_filter *filter, uint64_t began, int *err);
/*
 * Adds the parts of an operation that are not 0 to its event, and who ended its longest wait. Operations are
 * asked for in the order of their beginnings; of io_uring, of their ends.
 */
void timeline_why_add(struct timeline_why *why, struct timeline_event *event, uint32_t tid,
		      uint64_t start, uint64_t latency);
/* A request of io_uring is an operation by itself; its row of fs is none. */
bool timeline_why_has_requests(const struct timeline_why *why);
bool timeline_why_no_memory(const struct timeline_why *why);
void timeline_why_close(struct timeline_why *why);
