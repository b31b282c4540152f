/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the slow end of probes: closes their events, in a process of its own where they are many. */
#pragma once

#include <stdbool.h>

/*
 * Closes events that the kernel takes long to release, and before them the
 * links that hold programs on them (the first n_links of fds). Many are left
 * to a process of its own, so that nobody waits.
 */
void detach_close(const int *fds, unsigned n, unsigned n_links);

/* Does such a process of an earlier run still hold some? */
bool detach_goes_on(void);
