/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The containers of a host, each by its control group, whose names are looked up once. The text of
 * a process's control group is what the kernel has: from /proc, or from the event that moved it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/container_files.h"
#include "row/path.h"

/* As rows show it; members are NULL where nothing is known. */
struct container {
	struct path *name; /* of Kubernetes: "namespace/pod/name"; without a name the id */
	struct path *pod;  /* "namespace/name", or its id */
	struct path *image;
	struct path *id; /* or the name, where a runtime has no ids */
};

struct containers;

/* root: "" for this machine, borrowed. NULL without memory. */
struct containers *containers_open(const char *root);
void containers_close(struct containers *containers);

/*
 * The container whose group that is, or is above; NULL: none. Valid until the next call.
 */
const struct container *containers_find(struct containers *containers, const char *cgroup);

enum { CONTAINER_SHOWN = 800 };
/* The text of its name in rows, in CONTAINER_SHOWN bytes */
void container_shown(const struct container_names *names, const struct container_path *path,
		     char *out, size_t size);

/* What --container compares: the name, its last part, the pod, or the beginning of the id. */
bool container_is_called(const struct container_names *names, const struct container_path *path,
			 const char *called);

/*
 * The control group of a process, from the text of /proc/PID/cgroup: of the hierarchies, the one that
 * names a container; else of version 2, or the first that is not the root. text is changed. Returns
 * the number of the hierarchy.
 */
uint32_t containers_group(char *text, char *out, size_t size);
