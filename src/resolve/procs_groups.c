/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is inherited of a group, and when /proc is asked. */
#include "resolve/procs_groups.h"

#include <stdio.h>
#include <string.h>

#include "resolve/containers.h"
#include "resolve/procs_state.h"

#define CLONE_INTO_CGROUP 0x200000000ULL /* linux/sched.h of 5.7 */

/* Takes the reference over. Without memory the group is known to have no path, and is not asked for again. */
static void set(struct proc *proc, struct path *group, uint32_t hierarchy)
{
	path_put(proc->group);
	proc->group = group;
	proc->hierarchy = hierarchy;
	proc->group_known = true;
}

/* Whether its name alone says that it is a container's; no file is read. */
static bool is_containers(const char *path)
{
	struct container_path parsed;

	container_path_parse(path, &parsed);
	return parsed.kind != CONTAINER_NONE;
}

static void learn(struct procs *procs, struct proc *proc)
{
	char text[16384], path[4096];
	uint32_t hierarchy;

	if (proc->group_known || !procfs_cgroup(procs->procfs, proc->tgid, text, sizeof(text)))
		return;
	hierarchy = containers_group(text, path, sizeof(path));
	set(proc, path_new(path, strlen(path), 0), hierarchy);
}

const char *procs_group(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = tgid ? procs_entry(procs, tgid) : NULL;

	if (!proc)
		return NULL;
	learn(procs, proc);
	return proc->group ? proc->group->raw : NULL;
}

void procs_group_forked(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags)
{
	struct proc *from = procs_entry(procs, parent), *proc;

	/* of such a child nothing is inherited: it is asked for as one that was not seen yet */
	if (!from || clone_flags & CLONE_INTO_CGROUP)
		return;
	/* now, because the child may have ended when it is asked for */
	learn(procs, from);
	proc = procs_entry(procs, child);
	if (proc && from->group_known)
		set(proc, path_get(from->group), from->hierarchy);
}

bool procs_group_moved(struct procs *procs, uint32_t tgid, uint32_t hierarchy,
		       const struct path *path)
{
	struct proc *proc = procs_entry(procs, tgid);
	bool same;

	if (!proc)
		return true;
	/* the name was lost: /proc has it */
	if (!path) {
		proc->group_known = false;
		return true;
	}
	/* of version 1, one row is enough for all hierarchies */
	same = proc->group_known && proc->group && !strcmp(proc->group->raw, path->raw);
	/*
	 * in version 1 a process is in a group of each hierarchy: a move in one that knows no containers
	 * says nothing of the one that does
	 */
	if (is_containers(path->raw) ||
	    (proc->group_known &&
	     (!proc->group || proc->hierarchy == hierarchy || !is_containers(proc->group->raw))))
		set(proc, path_new(path->raw, path->raw_len, 0), hierarchy);
	return !same;
}
