/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "resolve/procs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "resolve/fd_scan.h"

/* linux/sched.h; who has namespaces of mounts or users of its own has directories of its own, too */
#define CLONE_FS_FLAG 0x200
#define CLONE_FILES_FLAG 0x400
#define CLONE_FS_FLAGS (CLONE_FS_FLAG | 0x20000 | 0x10000000)

#define BUCKETS 16384
#define MAX_PROCS 65536
#define THEIR_NAMESPACES 16 /* whose mounts are kept */

struct procs {
	struct proc *buckets[BUCKETS];
	uint32_t n_procs;
	const struct procfs *procfs;
	struct links *links;
	struct theirs {
		uint32_t mntns; /* 0: none */
		uint32_t moves; /* as they were then */
		struct mountinfo mounts;
	} theirs[THEIR_NAMESPACES];
	unsigned next_theirs;
	struct own_view own;
	uint32_t losses;  /* how often records were lost that descriptors depend on */
	uint32_t renames; /* that were seen: each may be of a directory above others */
	uint32_t moves;   /* of mounts */
	uint32_t changes; /* of them, those that the table of mounts showed */
	uint64_t moved_at;
	bool follow;
	uint32_t last_ofd; /* the last number given to an open file description */
	struct {
		uint32_t tgid, tid;
	} caller;
	struct desc_listener listener;
};

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

/* Its parent is known, and maybe no more. */
static struct proc *proc_get(struct procs *procs, uint32_t tgid)
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
	struct proc *proc = proc_get(procs, tgid);

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
	for (int i = 0; i < BUCKETS; i++)
		while (procs->buckets[i])
			proc_free(procs, &procs->buckets[i]);
	links_close(procs->links);
	for (int i = 0; i < THEIR_NAMESPACES; i++)
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
	const struct proc *proc = tgid ? proc_get(procs, tgid) : NULL;

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
	proc = proc_get(procs, tgid);
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

/* ---- names ---- */

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

	for (int i = 0; i < THEIR_NAMESPACES; i++) {
		theirs = &procs->theirs[i];
		if (theirs->mntns == mntns && theirs->moves == procs->moves)
			return &theirs->mounts;
	}
	theirs = &procs->theirs[procs->next_theirs++ % THEIR_NAMESPACES];
	mountinfo_free(&theirs->mounts);
	theirs->mntns = 0;
	if (mounts_of_process(procs->procfs->mounts, tgid, &theirs->mounts))
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
