/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of files from its root down, one entry at a time: no link is followed,
 * nothing is kept but the way to where it is, and what cannot be looked at is
 * counted.
 */
#pragma once

#include "compat/sys/sys.h"
#include "row/path.h"
#include "snapshot/snap.h"

struct walk_entry {
	const char *path; /* absolute; ends in NUL */
	size_t len;
	const struct iot_statx *st;
};

/* Anything but 0 ends the walk and is its result. */
typedef int walk_fn(void *arg, const struct walk_entry *entry);

/*
 * options: root (an absolute path without links), depth, all_mounts. The root
 * itself is an entry, too. counts: where unreadable, vanished and so on go.
 * Returns 0, what fn returned, or -errno of the root.
 */
int walk_tree(const struct snap_options *options, walk_fn *fn, void *arg, struct snap_done *counts);
