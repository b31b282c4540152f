/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host is looked at through: /proc, its mounts, its disks, and which file
 * systems are traced. Its owner opens one for a recording and passes it to whoever
 * turns ids into names; nothing else in this folder outlives a call.
 */
#pragma once

#include <stdbool.h>

#include "resolve/disks.h"
#include "resolve/loops.h"
#include "resolve/mounts.h"
#include "resolve/procfs.h"

/* Stays where it is: procfs points to mounts. */
struct resolve {
	struct mounts mounts;
	struct procfs procfs;
	struct disks disks;
	struct loops loops;
};

struct resolve_options {
	const char *proc;                /* NULL: "/proc"; borrowed */
	const char *sys_block;           /* NULL: "/sys/block"; borrowed */
	bool all_fs;                     /* pseudo file systems, too */
	const struct fs_types *fs_types; /* copied; NULL: no rules */
};

/*
 * Reads nothing yet: without a table of mounts a file is judged by its descriptor, and there is no
 * disk.
 */
void resolve_init(struct resolve *resolve, const struct resolve_options *options);

/* And reads mounts and disks; what cannot be read is reported and stays empty. */
void resolve_open(struct resolve *resolve, const struct resolve_options *options);
/* Reads the table of loop devices, which come and go, if it was read more than age_ns ago. */
void resolve_refresh_loops(struct resolve *resolve, uint64_t age_ns);
void resolve_close(struct resolve *resolve);
