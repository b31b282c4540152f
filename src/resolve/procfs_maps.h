/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mappings of files that a process has, as /proc/PID/maps and map_files list them. */
#pragma once

#include "resolve/procfs.h"

/* A mapping of a file, or of a part of it; the text is the callback's for the call. */
struct procfs_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file, of start */
	uint64_t ino;
	uint32_t dev;     /* kernel form */
	enum scope scope; /* SCOPE_UNKNOWN: map_files cannot be read, and the path does not tell */
	bool deleted;
	bool shared;
	const char *path; /* as many bytes as it has; no path for what does not start with "/" */
};
typedef void procfs_mapping_fn(void *arg, const struct procfs_mapping *mapping);

/*
 * Calls fn for each mapping of a file, by rising address. Memory that only looks like a
 * file (shared anonymous, System V) is none. False when the process is gone.
 */
bool procfs_each_mapping(const struct procfs *proc, uint32_t tgid, procfs_mapping_fn *fn,
			 void *arg);
