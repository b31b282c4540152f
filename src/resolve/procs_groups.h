/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control groups of processes, as far as containers need them: from /proc where nothing was seen yet, then
 * from forks and from the events that move a process.
 */
#pragma once

#include "resolve/procs.h"

/* The path of its control group; NULL: not known. Valid until the next call. */
const char *procs_group(struct procs *procs, uint32_t tgid);

/* After procs_fork() */
void procs_group_forked(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags);
/* hierarchy: its number, as /proc/PID/cgroup has it. False: it was in a group of that path before. */
bool procs_group_moved(struct procs *procs, uint32_t tgid, uint32_t hierarchy,
		       const struct path *path);
