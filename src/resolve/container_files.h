/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a runtime keeps on disk about a container: Docker, containerd, CRI-O and podman. No socket
 * is asked, and nothing over the network.
 */
#pragma once

#include "resolve/container_path.h"

/* "": not known */
struct container_names {
	char name[256];
	char pod[512]; /* of Kubernetes: "namespace/name" */
	char image[512];
};

/* root: below which the files are, "" for this machine */
void container_files_read(const char *root, const struct container_path *path,
			  struct container_names *names);
