/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the event that a program is attached to, and closes and removes it again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

struct attach_link {
	unsigned probe; /* index into plan->probes */
	bool live;      /* attached */
	int perf_fd;    /* -1: there is none; a program that is called by number has none */
	int prog_link;  /* holds the program on the event; -1: the event does, until it is closed */
	char event[96]; /* tracefs event name inside our group, or empty */
	char why[160];  /* why it is not attached */
};

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
