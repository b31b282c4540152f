/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a file of a container is on the host, from the mounts of its namespace that the manifest has: the upper
 * directory of an overlay, the directory that is mounted.
 */
#pragma once

#include "read/read_session.h"

enum { HOST_PATH_SIZE = 8192 };

/* All zero is empty. */
struct host_paths {
	const json_t *namespaces; /* of the session */
	char text[HOST_PATH_SIZE];
};

void host_paths_read(struct host_paths *paths, const struct read_session *session);
/* In paths until the next call; NULL: it is the host's own, or not known. */
const char *host_paths_find(struct host_paths *paths, uint32_t mntns, const char *path, size_t len);
