/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the files of other mount namespaces are on the host: the upper directory of an overlay, the
 * directory that is mounted. Read once for each namespace, and again when a program begins in it.
 */
#pragma once

#include <stdint.h>

#include "resolve/mounts.h"

enum { HOST_MOUNTS_MOST = 64 }; /* of a namespace */

/* A mount of another namespace. */
struct host_mount {
	char *inside; /* mount point */
	char *host;   /* the directory of this namespace that it shows; "": none does */
};

struct host_namespace {
	uint32_t mntns;
	unsigned looks;
	struct host_mount list[HOST_MOUNTS_MOST]; /* from the first that differs */
	unsigned n;
};

/* All zero, apart from mounts, is empty. */
struct host_mounts {
	const struct mounts *mounts; /* ours; borrowed */
	struct host_namespace **list;
	unsigned n;
	unsigned news; /* changes */
	uint32_t last,
		tried; /* the namespace that was found last, and the process that was asked */
};

/* A process of this namespace was seen. begins: a program in it. */
void host_mounts_see(struct host_mounts *host, uint32_t tgid, uint32_t mntns, bool begins);
void host_mounts_close(struct host_mounts *host);
