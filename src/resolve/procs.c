/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the table of processes: how each is found, made, followed and forgotten, and the descriptors
 * that a record is about. Names are procs_names.c's.
 */
#include "resolve/procs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "resolve/fd_scan.h"
#include "resolve/procs_state.h"

/* linux/sched.h; who has namespaces of mounts or users of its own has directories of its own, too */
#define CLONE_FS_FLAG 0x200
#define CLONE_FILES_FLAG 0x400
#define CLONE_FS_FLAGS (CLONE_FS_FLAG | 0x20000 | 0x10000000)

#define MAX_PROCS 65536

/* ---- the table ---- */

static struct proc **proc_place(struct procs *procs, uint32_t tgid)
{
	struct proc **at = &procs->buckets[tgid * 2654435761u >> 18];

	while (*at && (*at)->tgid != tgid)
		at = &(*at)->next;
	return at;
}

static void proc_free(struct procs *procs, struct proc **at)
{
	struct proc *proc = *at;

	*at = proc->next;
	procs->n_procs--;
	proc_close(proc);
}

/* A place for a new process; one of the same bucket gives way when there are too many. */
static struct proc *proc_add(struct procs *procs, uint32_t tgid)
{
	struct proc **at = proc_place(procs, tgid);
	struct proc *proc;

	if (*at)
		proc_free(procs, at);
	at = &procs->buckets[tgid * 2654435761u >> 18];
	if (procs->n_procs >= MAX_PROCS && *at)
		proc_free(procs, at);
	proc = proc_new(tgid);
	if (!proc)
		return NULL;
	proc->losses = procs->losses;
	proc->next = *at;
	*at = proc;
	procs->n_procs++;
	return proc;
}

/* The process if it is known, less what may be wrong of it. */
static struct proc *proc_find(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = *proc_place(procs, tgid);

	if (proc && proc->losses != procs->losses) {
		proc_forget(proc);
		proc->losses = procs->losses;
	}
	return proc;
}

static struct proc *proc_learn(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = proc_add(procs, tgid);

	if (proc)
		proc->ppid = procfs_ppid(procs->procfs, tgid);
	return proc;
}

/* ---- looking up ---- */

struct proc *procs_entry(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = proc_find(procs, tgid);

	return proc ? proc : proc_learn(procs, tgid);
}

/* The entry of the caller, if it is a thread of this process. */
static struct proc *proc_of_caller(const struct procs *procs, struct proc *proc)
{
	if (!proc->divided || procs->caller.tgid != proc->tgid)
		return proc;
	return proc_thread(proc, procs->procfs, procs->caller.tid);
}

static void learn_files(struct procs *procs, struct proc *proc)
{
	proc->view->tgid = proc->number;
	if (!proc->scanned && procs->follow)
		proc_scan(proc, procs->procfs, &procs->own, &procs->listener);
}

struct proc *procs_get(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = procs_entry(procs, tgid);

	if (!proc)
		return NULL;
	if (!proc->divided)
		learn_files(procs, proc);
	if (proc->divided) {
		proc = proc_of_caller(procs, proc);
		learn_files(procs, proc);
	}
	return proc;
}

void procs_caller(struct procs *procs, uint32_t tgid, uint32_t tid)
{
	procs->caller.tgid = tgid;
	procs->caller.tid = tid;
	/* where the kernel names files, it follows them */
	if (!procs->listener.moves || procs->changes == procs->procfs->mounts->changes)
		return;
	procs->changes = procs->procfs->mounts->changes;
	procs_mounted(procs, procs->procfs->mounts->checked_ns);
}

struct procs *procs_open(const struct procfs *procfs, bool follow, bool numbers,
			 desc_close_fn *closed, void *arg)
{
	struct procs *procs = calloc(1, sizeof(*procs));

	if (!procs)
		return NULL;
	procs->procfs = procfs;
	procs->follow = follow;
	procs->listener = (struct desc_listener){ .closed = closed, .arg = arg };
	if (numbers) {
		procs->listener.last_ofd = &procs->last_ofd;
		procs->listener.moves = &procs->moves;
	}
	procs->links = links_open();
	if (!procs->links) {
		procs_close(procs);
		return NULL;
	}
	own_view_read(&procs->own, procfs);
	return procs;
}

void procs_close(struct procs *procs)
{
	if (!procs)
		return;
	procs->listener.closed = NULL;
	for (int i = 0; i < PROCS_BUCKETS; i++)
		while (procs->buckets[i])
			proc_free(procs, &procs->buckets[i]);
	links_close(procs->links);
	for (int i = 0; i < PROCS_NAMESPACES; i++)
		mountinfo_free(&procs->theirs[i].mounts);
	free(procs);
}

const struct procfs *procs_procfs(const struct procs *procs)
{
	return procs->procfs;
}

void procs_seed(struct procs *procs, uint32_t tgid, bool stopped)
{
	struct proc *proc = procs_get(procs, tgid);
	struct procfs_file messages = { .ino = 0 };

	if (!proc || !stopped)
		return;
	proc->scanned_at = 0;
	procfs_fd(procs->procfs, getpid(), STDERR_FILENO, false, &messages);
	for (uint32_t fd = 0; proc->fds && fd < proc->fds->n_slots; fd++) {
		struct fd_slot *slot = &proc->fds->slots[fd];

		if (!slot->desc)
			continue;
		slot->desc->held = true;
		/* our own messages move it meanwhile */
		if (slot->desc->ino == messages.ino && slot->desc->dev == messages.dev)
			slot->desc->untracked_pos = true;
		/* what its exec will close is the tracer's own */
		if (slot->cloexec)
			slot->desc->scope = SCOPE_OUT;
	}
}

/* ---- descriptors ---- */

struct fd_table *proc_fds_at(struct proc *proc, uint64_t ts)
{
	if (ts >= proc->scanned_at) {
		if (proc->past)
			fd_table_discard(proc->past);
		proc->past = NULL;
		return proc->fds;
	}
	if (!proc->past)
		proc->past = fd_table_new(proc->fds->listener);
	return proc->past;
}

/* Its descriptor is closed by now, or another's. */
static bool is_still_called(const struct procs *procs, const struct proc *proc,
			    const struct desc *desc)
{
	struct procfs_file file;

	return proc_view_file(proc->view, procs->procfs, desc->path->raw, &file) &&
	       file.ino == desc->ino && file.dev == desc->dev;
}

void proc_renew(const struct procs *procs, const struct proc *proc, struct desc *desc, int fd,
		uint64_t ts)
{
	struct path *path = desc ? desc->path : NULL;

	if (!desc || desc->moves == procs->moves || (ts && ts < procs->moved_at))
		return;
	desc->moves = procs->moves;
	if (!path || !(path->flags & PATH_FULL) || !desc->ino || desc->scope != SCOPE_IN ||
	    desc_renew(desc, procs->procfs, proc->number, fd) || is_still_called(procs, proc, desc))
		return;
	/* nobody can say where it is now */
	desc->path = path_new(path->raw, path->raw_len,
			      (path->flags & ~(uint32_t)PATH_FULL) | PATH_REST);
	path_put(path);
}

struct desc *proc_desc(const struct procs *procs, struct proc *proc, int fd, uint64_t ts)
{
	struct desc *desc = NULL;

	/* from the time of /proc on, the records that came before it have nothing to add */
	if (ts && (proc->past || ts < proc->scanned_at))
		proc_fds_at(proc, ts);
	if (proc->past)
		desc = fd_table_find(proc->past, fd);
	if (!desc)
		desc = fd_table_find(proc->fds, fd);
	proc_renew(procs, proc, desc, fd, ts);
	if (desc || proc->past || !proc->fds || fd < 0)
		return desc;
	/* made by a call that is not followed (a descriptor over a socket, say) */
	return fd_scan_one(proc->fds, procs->procfs, proc->number, fd);
}

struct desc *procs_desc(struct procs *procs, uint32_t tgid, int fd, uint64_t ts)
{
	struct proc *proc = procs_get(procs, tgid);
	struct desc *desc = proc ? proc_desc(procs, proc, fd, ts) : NULL;

	if (desc && desc->overlapped)
		desc_read_position(desc, procs->procfs, proc->number, fd);
	return desc;
}

/* ---- what is known of a process ---- */

uint32_t procs_ppid(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = tgid ? procs_entry(procs, tgid) : NULL;

	return proc ? proc->ppid : 0;
}

uint32_t procs_number(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = procs_get(procs, tgid);

	return proc ? proc->number : tgid;
}

uint32_t procs_mntns(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = procs_get(procs, tgid);

	return proc ? proc->view->mntns : 0;
}

bool procs_has_other_root(struct procs *procs, uint32_t tgid, uint32_t mntns)
{
	struct proc *proc;

	if (!mntns || !procs->own.mntns || mntns == procs->own.mntns)
		return false;
	proc = procs_entry(procs, tgid);
	if (!proc)
		return true;
	proc_refresh(proc, procs->procfs, &procs->own);
	/* of one that ended before its root was read there, nobody can say that it is ours */
	return proc->view->other_root || proc->view->other_root_in != mntns;
}

bool procs_sees_our_paths(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = procs_get(procs, tgid);

	return proc && !proc->view->foreign && !proc->view->root;
}

/* ---- what happens to processes ---- */

void procs_lost(struct procs *procs)
{
	procs->losses++;
	links_forget(procs->links);
}

void procs_mounted(struct procs *procs, uint64_t ts)
{
	procs->moves++;
	procs->moved_at = ts;
	procs->renames++;
	links_forget(procs->links);
}

void procs_renamed(struct procs *procs)
{
	procs->renames++;
}

void procs_fork(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags)
{
	struct proc *proc = proc_add(procs, child), *from = proc_find(procs, parent);
	struct proc_view *view = NULL;

	if (!proc)
		return;
	from = from ? proc_of_caller(procs, from) : NULL;
	proc->ppid = parent;
	proc->view->other_root = from && from->view->other_root;
	proc->view->other_root_in = from ? from->view->other_root_in : 0;
	/* What /proc said of the parent after the fork is not the child's: that is read itself. */
	if (!from || !from->scanned || from->past)
		return;
	proc->scanned = true; /* all that it will do is followed: nothing is older than this */
	view = clone_flags & CLONE_FS_FLAG ? proc_view_get(from->view) : proc_view_new(from->view);
	if (view) {
		proc_view_put(proc->view);
		proc->view = view;
	}
	if (from->fds && (clone_flags & CLONE_FILES_FLAG))
		proc->fds = fd_table_get(from->fds);
	else if (from->fds)
		proc->fds = fd_table_copy(from->fds);
}

void procs_unshare(struct procs *procs, uint32_t tgid, uint32_t tid, uint64_t clone_flags)
{
	struct proc *proc = procs_get(procs, tgid);

	if (!proc || !(clone_flags & (CLONE_FILES_FLAG | CLONE_FS_FLAGS)))
		return;
	/* with others beside it a thread shared all, or it would be divided already */
	if (proc->tgid == tgid && !proc->divided && proc_divides(proc, procs->procfs, tid, true))
		proc = proc_add_thread(proc, proc, tid);
	if (proc && (clone_flags & CLONE_FILES_FLAG))
		proc_own_files(proc);
	if (proc && (clone_flags & CLONE_FS_FLAGS))
		proc_own_view(proc);
}

void procs_thread(struct procs *procs, uint32_t tgid, uint32_t tid, uint64_t clone_flags)
{
	struct proc *caller = procs_get(procs, tgid);
	struct proc *process = caller ? proc_find(procs, tgid) : NULL;
	struct proc *thread = process ? proc_add_thread(process, caller, tid) : NULL;

	if (thread && !(clone_flags & CLONE_FILES_FLAG))
		proc_own_files(thread);
	if (thread && !(clone_flags & CLONE_FS_FLAG))
		proc_own_view(thread);
}

void procs_joined(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = procs_get(procs, tgid);

	if (!proc)
		return;
	proc->view->read_at = 0;
	proc_refresh(proc, procs->procfs, &procs->own);
	proc_view_joined(proc->view, procs->procfs);
}

/* exec ends sharing of descriptors and closes what is marked. */
void procs_exec(struct procs *procs, uint32_t tgid, uint64_t ts)
{
	struct proc *proc = proc_find(procs, tgid);
	struct fd_table *table;

	if (!proc || !proc->scanned)
		return;
	/* one thread is left, and nobody says which */
	if (proc->divided)
		proc_forget(proc);
	proc->divided = false;
	proc->number = proc->view->tgid = tgid;
	proc->view->read_at = 0;
	proc_refresh(proc, procs->procfs, &procs->own);
	table = proc->scanned ? proc_fds_at(proc, ts) : NULL;
	if (table && table == proc->fds) {
		proc_own_files(proc);
		table = proc->fds;
	}
	if (table)
		fd_table_exec(table);
}

void procs_exit(struct procs *procs, uint32_t tgid)
{
	struct proc **at = proc_place(procs, tgid);

	if (*at)
		proc_free(procs, at);
}
