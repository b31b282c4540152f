/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From loaded programs to live probes, and back: undoes exactly what it did.
 * kprobes by the perf PMU (4.17) else tracefs, kretprobes by tracefs with an
 * explicit maxactive else the PMU, tracepoints by perf. tracefs events live in
 * the group iotracer_<pid>, so that those of a killed run can be recognised.
 */
#pragma once

#include "plan/plan.h"
#include "trace/attach_event.h"
#include "trace/loaded.h"

struct attached {
	const struct plan *plan;
	struct attach_link *links;
	unsigned n_links;
	unsigned n_attached;
};

/*
 * Removes iotracer_<pid> groups of processes that are gone. Returns how many events went, or
 * -errno.
 */
int attach_clean_stale(const struct host *host);

/* maxactive: concurrent kretprobe instances per probe; 0 lets the kernel choose. */
int attach_all(struct attached *attached, const struct plan *plan, const struct loaded *loaded,
	       unsigned maxactive);

/* True when every non-optional probe of this choice is live. */
bool attach_complete(const struct attached *attached, unsigned choice);

/*
 * Hits that the kernel missed on tracefs probes (kprobe_profile), summed; the
 * callback hears of each probe with misses. Late kernels only for kretprobes.
 */
typedef void attach_missed_fn(void *arg, const struct plan_probe *probe, uint64_t missed);
uint64_t attach_missed(const struct attached *attached, attach_missed_fn *fn, void *arg);

/* Closes perf fds first, then removes the tracefs events (4.14 answers EBUSY otherwise). */
void attach_close(struct attached *attached);
