/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file a call opened, found out afterwards: by the descriptor that it returned,
 * which may be another file's by now, and by the path that it was given.
 */
#pragma once

#include "resolve/fd_table.h"
#include "resolve/proc_view.h"
#include "resolve/procfs.h"

/* Who called, and what that is looked up in. */
struct opener {
	const struct procfs *procfs;
	const struct proc_view *view;
};

/* path: NULL when not known; flags: O_*. NULL without memory. */
struct desc *desc_opened(const struct opener *by, int fd, struct path *path, uint32_t flags);

/* Of O_TMPFILE, in this directory. */
struct desc *desc_unnamed(const struct opener *by, int fd, const struct path *dir);

/*
 * A file of O_TMPFILE or of memory is in no directory, and shows as unlinked. NULL: closed by now.
 */
struct desc *desc_nameless(const struct opener *by, int fd);
