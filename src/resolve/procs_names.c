/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the way from what a call named to the path of it: whose names they are, the process or
 * the namespace by which they are looked for, and what calls did to them. What a name leads to
 * is decided by links.c.
 */
#include "resolve/procs_names.h"

#include <fcntl.h>
#include <stdio.h>

#include "resolve/links.h"
#include "resolve/other_mounts.h"
#include "resolve/proc.h"
#include "resolve/proc_view.h"
#include "resolve/procs.h"
#include "resolve/procs_state.h"

/* Whose names they are, as links.h has it */
static uint32_t names_of(const struct procs *procs, uint32_t mntns)
{
	return procs->own.mntns && mntns != procs->own.mntns ? mntns : 0;
}

/* Where the names of another namespace are looked for: by a process that is in it. */
struct look {
	struct links_from from; /* first: look_from() has its address */
	struct procs *procs;
	uint32_t number; /* whose turn is next */
	unsigned turns;
	char below[300];
};

/* The mounts of another namespace, which a process of it sees; NULL: they cannot be read. */
static const struct mountinfo *mounts_of(struct procs *procs, uint32_t mntns, uint32_t tgid)
{
	struct theirs *theirs;

	for (int i = 0; i < PROCS_NAMESPACES; i++) {
		theirs = &procs->theirs[i];
		if (theirs->mntns == mntns && theirs->moves == procs->moves)
			return &theirs->mounts;
	}
	theirs = &procs->theirs[procs->next_theirs++ % PROCS_NAMESPACES];
	mountinfo_free(&theirs->mounts);
	theirs->mntns = 0;
	if (mountinfo_of_process(&theirs->mounts, procs->procfs->root, tgid))
		return NULL;
	theirs->mntns = mntns;
	theirs->moves = procs->moves;
	return &theirs->mounts;
}

/* The process itself, and when it has ended, those that it descends from. */
static bool look_from(struct links_from *from)
{
	enum { ANCESTORS = 4 };
	struct look *look = (struct look *)from;
	const struct procfs *procfs = look->procs->procfs;
	uint32_t number = look->number;

	while (number && look->turns++ < ANCESTORS) {
		look->number = procs_ppid(look->procs, number);
		from->mounts = procfs_mntns(procfs, number) == from->mntns ?
				       mounts_of(look->procs, from->mntns, number) :
				       NULL;
		if (from->mounts) {
			snprintf(look->below, sizeof(look->below), "%s/%u/root", procfs->root,
				 number);
			from->below = look->below;
			return true;
		}
		number = look->number;
	}
	return false;
}

/* Where it is not known whose names they are, nothing is looked at. */
static void look_for(struct look *look, struct procs *procs, const struct procs_name *by,
		     uint32_t mntns, uint32_t number)
{
	const char *files = procs->procfs->files;
	uint32_t theirs = names_of(procs, mntns);

	/* but for the text, which only look_from() needs */
	look->procs = procs;
	look->number = number;
	look->turns = 0;
	look->from = (struct links_from){ .ts = by->ts, .mntns = theirs };
	if (mntns && theirs && files)
		look->from.look = look_from;
	else if (mntns)
		look->from.below = files;
	if (mntns && !theirs)
		look->from.mounts = &procs->procfs->mounts->table;
}

struct path *procs_below(struct procs *procs, const struct procs_name *by, const struct path *dir,
			 bool is_root, const char *text)
{
	static const struct proc_view unknown;
	struct path *path;
	struct proc *proc;
	struct look look;

	look_for(&look, procs, by, by->mntns, by->tgid);
	look.from.base = dir;
	if (is_root)
		look.from.root = dir;
	/* the directory of /proc is that root, and not the namespace's, from which the kernel names */
	if (is_root && dir && dir->raw[1])
		look.from.look = NULL;
	path = links_path(procs->links, &look.from, text, by->how);
	if (path)
		return path;
	proc = procs_get(procs, by->tgid);
	if (proc)
		proc_refresh(proc, procs->procfs, &procs->own);
	return proc_view_dots(proc ? proc->view : &unknown, procs->procfs, dir, text, by->how);
}

struct path *procs_resolve(struct procs *procs, const struct procs_name *by, int dirfd,
			   const struct path *text)
{
	struct proc *proc = text ? procs_get(procs, by->tgid) : NULL;
	const struct desc *dir;
	struct look look;

	if (!text)
		return NULL;
	if (!proc)
		return path_join(NULL, text->raw, text->raw_len, text->flags & PATH_CUT);
	proc_refresh(proc, procs->procfs, &procs->own);
	look_for(&look, procs, by, proc->view->mntns, proc->view->tgid);
	if (text->raw[0] != '/' && dirfd == AT_FDCWD) {
		look.from.base = proc_view_cwd(proc->view, procs->procfs, procs->renames);
	} else if (text->raw[0] != '/') {
		dir = proc_desc(procs, proc, dirfd, 0);
		look.from.base = dir ? dir->path : NULL;
	}
	return proc_view_path(proc->view, procs->procfs, procs->links, &look.from, text->raw,
			      by->how);
}

struct path *procs_rooted(struct procs *procs, uint32_t tgid, struct path *given)
{
	struct proc *proc = procs_get(procs, tgid);
	struct proc_view *view = proc ? proc->view : NULL;

	if (!view)
		return given;
	view->read_at = 0;
	if (!proc_view_refresh(view, procs->procfs, &procs->own)) {
		/* it ended: what it did after this has names below the path */
		if (given && !view->foreign && (given->flags & PATH_FULL)) {
			path_put(view->root);
			view->root = given->raw[1] ? path_get(given) : NULL;
		}
		return given;
	}
	if (!view->root)
		return given;
	path_put(given);
	return path_get(view->root);
}

void procs_name_changed(struct procs *procs, const struct procs_name *by, enum procs_change change,
			const struct path *name, const struct path *other)
{
	uint32_t mntns = by->mntns ? by->mntns : procs_mntns(procs, by->tgid);
	uint32_t of = names_of(procs, mntns);

	if (!mntns)
		return;
	switch (change) {
	case NAME_MADE:
		links_made(procs->links, of, name, other, by->ts);
		break;
	case NAME_REMOVED:
		links_removed(procs->links, of, name);
		break;
	case NAME_MOVED:
	case NAME_ADDED:
		links_renamed(procs->links, of, name, other, change == NAME_ADDED);
		break;
	case NAMES_EXCHANGED:
		links_exchanged(procs->links, of, name, other);
		break;
	}
}
