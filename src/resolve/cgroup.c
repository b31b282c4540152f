/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the search for a group and for those below it. Does not decide whom it leaves out. */
#include "resolve/cgroup.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CGROUP2_MAGIC 0x63677270 /* linux/magic.h of 4.5 */
#define MAX_DEPTH 16

static bool is_group(struct cgroup *group)
{
	char procs[sizeof(group->path) + 16];
	struct statfs fs;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", group->path);
	if (access(procs, F_OK))
		return false;
	group->unified = !statfs(group->path, &fs) && fs.f_type == CGROUP2_MAGIC;
	return true;
}

/* Below the root itself (version 2 alone), else below one of the hierarchies there. */
bool cgroup_find(struct cgroup *group, const char *root, const char *name)
{
	static const char *const hierarchies[] = { "",        "unified/", "systemd/",
						   "memory/", "pids/",    "cpu/",
						   "blkio/",  "devices/", "freezer/" };

	if (name[0] == '/') {
		snprintf(group->path, sizeof(group->path), "%s", name);
		if (is_group(group))
			return true;
	}
	for (size_t i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]) && name[0]; i++) {
		snprintf(group->path, sizeof(group->path), "%s/%s%s", root, hierarchies[i],
			 name + strspn(name, "/"));
		if (is_group(group))
			return true;
	}
	return false;
}

bool cgroup_is_unified(const char *root)
{
	char path[4096 + 32];

	return snprintf(path, sizeof(path), "%s/cgroup.controllers", root) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static void each_of(const char *path, cgroup_fn *fn, void *arg)
{
	char procs[4096 + 16];
	unsigned pid;
	FILE *in;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	in = fopen(procs, "re");
	while (in && fscanf(in, "%u", &pid) == 1)
		fn(arg, pid);
	if (in)
		fclose(in);
}

static void each_below(const char *path, int depth, cgroup_fn *fn, void *arg)
{
	DIR *dir = depth < MAX_DEPTH ? opendir(path) : NULL;
	struct dirent *entry;
	char below[4096];

	each_of(path, fn, arg);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
		    (int)sizeof(below))
			each_below(below, depth + 1, fn, arg);
	}
	if (dir)
		closedir(dir);
}

void cgroup_each(const struct cgroup *group, cgroup_fn *fn, void *arg)
{
	each_below(group->path, 0, fn, arg);
}
