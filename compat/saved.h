/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host in one file: `doctor --collect` writes it, host_open reads it. A gzipped
 * ustar archive with the layout of a root directory, so that tar can look inside.
 */
#ifndef IOT_COMPAT_SAVED_H
#define IOT_COMPAT_SAVED_H

#include "compat/kernel.h"

/* Saves what host_open reads, addresses zeroed. Reports; returns 0 or -errno. */
int saved_write(const struct host *host, const char *path);

/*
 * Unpacks into a new private directory, whose name goes to dir (PATH_MAX). Takes
 * plain files and directories below it only. Reports; returns 0 or -errno, and
 * leaves nothing behind on failure.
 */
int saved_unpack(const char *path, char *dir);

#endif
