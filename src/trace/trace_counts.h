/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs count (stream layers), read now and then: the kernel's entries go up for ever,
 * the result is the increase of each since it was read before.
 */
#pragma once

#include "row/records.h"
#include "trace/trace_set.h"

struct trace_counts;

/* key: without the share; added: its comm is the one that was there last. */
typedef void trace_count_fn(void *arg, const struct iot_count_key *key,
			    const struct iot_count *added, uint64_t ts);

/* NULL without memory; free it by trace_counts_close, which takes NULL, too. */
struct trace_counts *trace_counts_open(void);
/* Does nothing of NULL, nor does what follows. ts: the time of this look; last: tracing is off, there will be no other. */
void trace_counts_read(struct trace_counts *counts, const struct trace *trace, uint64_t ts,
		       bool last, trace_count_fn *each, void *arg);
/*
 * A request that no program saw complete is part of what the next look finds; nothing is traced any more,
 * and that look is the last.
 */
void trace_counts_unseen(struct trace_counts *counts, const struct trace *trace, struct iot_rq *rq);
void trace_counts_close(struct trace_counts *counts);
/* Resets the kernel's counts; nothing is traced meanwhile. */
void trace_counts_clear(const struct trace *trace);

/* ---- the sums, which tests feed without a kernel ---- */

/* An entry as it is now; false without memory. */
bool trace_counts_add(struct trace_counts *counts, const struct iot_count_key *key,
		      const struct iot_count *now);
/* All have been added: passes on what was added since the last time. */
void trace_counts_turn(struct trace_counts *counts, uint64_t ts, bool last, trace_count_fn *each,
		       void *arg);
