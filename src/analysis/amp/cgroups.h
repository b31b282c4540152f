/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which control group a process was, from the snapshots of processes; one that lived between
 * two of them was, as far as is known, where its parent was.
 */
#pragma once

#include "analysis/amp/programs.h"

/* Returns 0, or what a stream that cannot be read gives (reported). To be freed in any case. */
int cgroups_read(struct history *cgroups, const struct read_session *session);
/* Its path at that time, the list's; NULL: not known. */
const char *cgroups_find(const struct history *cgroups, const struct history *programs,
			 uint64_t pid, uint64_t mono_ns);
