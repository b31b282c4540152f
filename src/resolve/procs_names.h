/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that calls gave, and paths of them: by processes and their directories. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/path.h"

struct procs;

/* Who gives a name to a call, and when; how: as in links.h. mntns: 0 where the record has none. */
struct procs_name {
	uint32_t tgid, mntns;
	uint64_t ts;
	unsigned how;
};

/*
 * The path of what a text leads to: below a directory that the kernel named (is_root: that of the
 * process), or from dirfd or the working directory. A new reference.
 */
struct path *procs_below(struct procs *procs, const struct procs_name *by, const struct path *dir,
			 bool is_root, const char *text);
struct path *procs_resolve(struct procs *procs, const struct procs_name *by, int dirfd,
			   const struct path *text);

/* What a call did to names, by which others may lead elsewhere from now on. */
enum procs_change { NAME_MADE, NAME_REMOVED, NAME_MOVED, NAME_ADDED, NAMES_EXCHANGED };

/*
 * A process has another root since chroot, which was given this path: the name of it, a reference in place of that
 * one. What /proc shows is the new root, from which the path that was given leads nowhere.
 */
struct path *procs_rooted(struct procs *procs, uint32_t tgid, struct path *given);
/* other: what a symbolic link that was made leads to, or the second name; else NULL. */
void procs_name_changed(struct procs *procs, const struct procs_name *by, enum procs_change change,
			const struct path *name, const struct path *other);
