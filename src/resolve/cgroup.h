/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A control group, as --cgroup names it: found in the mounted hierarchies. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cgroup {
	char path[4096];
	bool unified; /* version 2 */
};

/*
 * name: a directory of a mounted hierarchy, or what /proc/PID/cgroup shows. root: "/sys/fs/cgroup".
 * False when there is no such group.
 */
bool cgroup_find(struct cgroup *group, const char *root, const char *name);

/*
 * All controllers are in the hierarchy of version 2, so that its groups are what I/O is charged to.
 */
bool cgroup_is_unified(const char *root);

/* Where groups are below the root, up to NULL. */
extern const char *const cgroup_hierarchies[];

/* A directory and those below it. */
typedef void cgroup_dir_fn(void *arg, const char *path);
void cgroup_walk(const char *path, cgroup_dir_fn *fn, void *arg);

/* Its processes and those of the groups below. */
typedef void cgroup_fn(void *arg, uint32_t pid);
void cgroup_each(const struct cgroup *group, cgroup_fn *fn, void *arg);
