/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control group of a container that runs, or of a pod, by its name. */
#pragma once

#include <stddef.h>

#include "resolve/cgroup.h"

struct container_search {
	const char *cgroups; /* "/sys/fs/cgroup" */
	const char *files;   /* below which runtimes have their files: "" */
	const char *called;  /* as container_is_called() has it */
	/* found */
	unsigned n; /* containers, or pods, of that name */
	char names
		[400]; /* of those that run, if none has it; else of the first that have: as rows have them */
};

/* True: one has it, and its group is found. */
bool container_find_group(struct container_search *search, struct cgroup *group);
