/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors that were there before, or that nobody saw being made, as /proc describes them. */
#pragma once

#include "resolve/fd_table.h"
#include "resolve/procfs.h"

/* Name, inode and device as /proc has them; NULL without memory */
struct desc *desc_of_file(const struct procfs_file *file);

/* Reads one descriptor into a table of its process; NULL when it is not there. */
struct desc *fd_scan_one(struct fd_table *table, const struct procfs *proc, uint32_t tgid, int fd);

/*
 * The name that a description has by now, read by a descriptor of it. False when that is another
 * one's by now, or closed.
 */
bool desc_renew(struct desc *desc, const struct procfs *proc, uint32_t tgid, int fd);

/*
 * The position of a description that was read while a call moved it (overlapped), once more: a
 * process that is always in some call would have none for good. At most every 20 ms, as each takes
 * a few files of /proc.
 */
void desc_read_position(struct desc *desc, const struct procfs *proc, uint32_t tgid, int fd);

/* Reads all of them. False when the process is gone. */
bool fd_scan_all(struct fd_table *table, const struct procfs *proc, uint32_t tgid);
