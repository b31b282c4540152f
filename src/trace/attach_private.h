/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What attach.c (programs onto events) and attach_event.c (the events) share,
 * and nobody else sees.
 */
#ifndef IOT_ATTACH_PRIVATE_H
#define IOT_ATTACH_PRIVATE_H

#include "trace/attach.h"

/* ---- attach_event.c ---- */

struct kprobe_pmu {
	uint32_t type;     /* 0: this kernel has none */
	uint64_t retprobe; /* the bit of config that asks for a kretprobe */
};
struct kprobe_pmu attach_find_pmu(void);

/*
 * Fills perf_fd, and the event's name where it was made in tracefs; for all
 * kinds but PROBE_RAW, which has no event. Returns 0 or -errno.
 */
int attach_event_open(struct attach_link *link, const struct plan *plan,
		      const struct kprobe_pmu *pmu, unsigned maxactive);
/* Closes the descriptor, then removes the event if it was made in tracefs. */
void attach_event_close(struct attach_link *link, const char *tracefs);

#endif
