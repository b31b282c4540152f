/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the search for a group and for those below it. Does not decide whom it leaves out. */
#include "resolve/cgroup.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CGROUP2_MAGIC 0x63677270 /* linux/magic.h of 4.5 */
/* Each level has an open directory and a name of 4 kB on the stack. */
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
const char *const cgroup_hierarchies[] = { "",     "unified/", "systemd/", "memory/",  "pids/",
					   "cpu/", "blkio/",   "devices/", "freezer/", NULL };

bool cgroup_find(struct cgroup *group, const char *root, const char *name)
{
	if (name[0] == '/') {
		snprintf(group->path, sizeof(group->path), "%s", name);
		if (is_group(group))
			return true;
	}
	for (const char *const *in = cgroup_hierarchies; *in && name[0]; in++) {
		snprintf(group->path, sizeof(group->path), "%s/%s%s", root, *in,
			 name + strspn(name, "/"));
		if (is_group(group))
			return true;
	}
	group->path[0] = '\0';
	return false;
}

bool cgroup_is_unified(const char *root)
{
	char path[4096 + 32];

	return snprintf(path, sizeof(path), "%s/cgroup.controllers", root) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static void below(const char *path, int depth, cgroup_dir_fn *fn, void *arg)
{
	DIR *dir = depth < MAX_DEPTH ? opendir(path) : NULL;
	struct dirent *entry;
	char below_it[4096];

	fn(arg, path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (snprintf(below_it, sizeof(below_it), "%s/%s", path, entry->d_name) <
		    (int)sizeof(below_it))
			below(below_it, depth + 1, fn, arg);
	}
	if (dir)
		closedir(dir);
}

void cgroup_walk(const char *path, cgroup_dir_fn *fn, void *arg)
{
	below(path, 0, fn, arg);
}

struct each {
	cgroup_fn *fn;
	void *arg;
};

static void each_of(void *arg, const char *path)
{
	const struct each *each = arg;
	char procs[4096 + 16];
	unsigned pid;
	FILE *in;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	in = fopen(procs, "re");
	while (in && fscanf(in, "%u", &pid) == 1)
		each->fn(each->arg, pid);
	if (in)
		fclose(in);
}

void cgroup_each(const struct cgroup *group, cgroup_fn *fn, void *arg)
{
	cgroup_walk(group->path, each_of, &(struct each){ fn, arg });
}
