/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host in one file: `doctor --collect` writes it, host_open reads it. A gzipped
 * ustar archive with the layout of a root directory, so that tar can look inside.
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "compat/host/kernel.h"

/* Saves what host_open reads, addresses zeroed. Reports; returns 0 or -errno. */
int saved_write(const struct host *host, const char *path);

/* An unpacked host. */
struct saved_dir {
	char path[PATH_MAX]; /* empty: there is none */
	pid_t watcher;       /* removes it, also when this process is killed */
	int watched;         /* the end of a pipe that it hears being closed */
};

/*
 * Unpacks into a new private directory. Takes plain files and directories below
 * it only. Reports; returns 0 or -errno, and leaves nothing behind on failure.
 */
int saved_unpack(const char *path, struct saved_dir *saved);
void saved_remove(struct saved_dir *saved);
