/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who ended waits, and how long these were: the few that matter by name. */
#pragma once

#include <stdint.h>

/* Who ended a wait. NULL: no thread, as of a timer or a device. */
struct why_waker {
	const char *name; /* the same pointer for the same name */
	uint64_t ns;
};

enum { WHY_WAKERS = 8 };

struct why_wakers {
	struct why_waker list[WHY_WAKERS]; /* the longest first */
	unsigned n;
	uint64_t others; /* ns of those that found no place */
};

/* Those that come first keep their places, so the ninth is among the others, however long it is. */
void why_wakers_add(struct why_wakers *wakers, const char *name, uint64_t ns);
void why_wakers_join(struct why_wakers *wakers, const struct why_wakers *more);
