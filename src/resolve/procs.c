/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "resolve/procs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "resolve/fd_scan.h"

/* linux/sched.h */
#define CLONE_FILES_FLAG 0x400

#define BUCKETS 16384
#define MAX_PROCS 65536

struct procs {
	struct proc *buckets[BUCKETS];
	uint32_t n_procs;
	const struct procfs *procfs;
	struct own_view own;
	uint32_t losses;  /* how often records were lost that descriptors depend on */
	uint32_t renames; /* that were seen: each may be of a directory above others */
	bool follow;
	uint32_t last_ofd; /* the last number given to an open file description */
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
	fd_table_put(proc->fds);
	fd_table_discard(proc->past);
	proc_view_close(&proc->view);
	free(proc);
	procs->n_procs--;
}

/* A place for a new process; one of the same bucket gives way when there are too many. */
static struct proc *proc_new(struct procs *procs, uint32_t tgid)
{
	struct proc **at = proc_place(procs, tgid);
	struct proc *proc;

	if (*at)
		proc_free(procs, at);
	at = &procs->buckets[tgid * 2654435761u >> 18];
	if (procs->n_procs >= MAX_PROCS && *at)
		proc_free(procs, at);
	proc = calloc(1, sizeof(*proc));
	if (!proc)
		return NULL;
	proc->tgid = proc->view.tgid = tgid;
	proc->losses = procs->losses;
	proc->next = *at;
	*at = proc;
	procs->n_procs++;
	return proc;
}

/* What was followed may be wrong by now: it is read again when it is next asked for. */
static void proc_forget(struct proc *proc)
{
	fd_table_discard(proc->fds);
	fd_table_discard(proc->past);
	proc->fds = proc->past = NULL;
	proc_view_forget_cwd(&proc->view);
	proc->scanned = false;
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

/* Reads descriptors and directory from /proc. */
static void proc_scan(struct procs *procs, struct proc *proc)
{
	bool alive;

	proc->scanned = true;
	proc->fds = fd_table_new(&procs->listener);
	alive = proc->fds && fd_scan_all(proc->fds, procs->procfs, proc->tgid);
	proc_view_read_cwd(&proc->view, procs->procfs);
	proc_view_refresh(&proc->view, procs->procfs, &procs->own);
	/* of one that has ended by now nothing was learned, and all that arrives is followed */
	proc->scanned_at = alive ? mono_ns() : 0;
}

static struct proc *proc_learn(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = proc_new(procs, tgid);

	if (proc)
		proc->ppid = procfs_ppid(procs->procfs, tgid);
	return proc;
}

/* Its parent is known, and maybe no more. */
static struct proc *proc_get(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = proc_find(procs, tgid);

	return proc ? proc : proc_learn(procs, tgid);
}

struct proc *procs_get(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = proc_find(procs, tgid);

	if (proc && proc->scanned)
		return proc; /* nearly always */
	proc = proc ? proc : proc_learn(procs, tgid);
	if (proc && procs->follow)
		proc_scan(procs, proc);
	return proc;
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
	if (numbers)
		procs->listener.last_ofd = &procs->last_ofd;
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
	if (desc || proc->past || !proc->fds || fd < 0)
		return desc;
	/* made by a call that is not followed (a descriptor over a socket, say) */
	return fd_scan_one(proc->fds, procs->procfs, proc->tgid, fd);
}

struct desc *procs_desc(struct procs *procs, uint32_t tgid, int fd, uint64_t ts)
{
	struct proc *proc = procs_get(procs, tgid);

	return proc ? proc_desc(procs, proc, fd, ts) : NULL;
}

/* ---- what is known of a process ---- */

uint32_t procs_ppid(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = tgid ? proc_get(procs, tgid) : NULL;

	return proc ? proc->ppid : 0;
}

uint32_t procs_mntns(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = procs_get(procs, tgid);

	return proc ? proc->view.mntns : 0;
}

bool procs_has_other_root(struct procs *procs, uint32_t tgid, uint32_t mntns)
{
	struct proc *proc;

	if (!mntns || !procs->own.mntns || mntns == procs->own.mntns)
		return false;
	proc = proc_get(procs, tgid);
	if (!proc)
		return true;
	proc_view_refresh(&proc->view, procs->procfs, &procs->own);
	/* of one that ended before its root was read there, nobody can say that it is ours */
	return proc->view.other_root || proc->view.other_root_in != mntns;
}

bool procs_sees_our_paths(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = procs_get(procs, tgid);

	return proc && !proc->view.foreign && !proc->view.root;
}

static bool has_dots(const char *text, size_t len)
{
	for (const char *at = text; (at = memchr(at, '.', len - (size_t)(at - text))); at++)
		if (at + 1 < text + len && at[1] == '.')
			return true;
	return false;
}

struct path *procs_below(struct procs *procs, uint32_t tgid, const struct path *dir,
			 const char *text, size_t len, bool cut)
{
	struct proc *proc = has_dots(text, len) ? procs_get(procs, tgid) : NULL;

	if (!proc)
		return path_join(dir, text, len, cut);
	proc_view_refresh(&proc->view, procs->procfs, &procs->own);
	return proc_view_below(&proc->view, procs->procfs, dir, text, len, cut);
}

struct path *procs_resolve(struct procs *procs, uint32_t tgid, int dirfd, const struct path *text)
{
	struct proc *proc = text ? procs_get(procs, tgid) : NULL;
	const struct path *base = NULL;
	const struct desc *dir;

	if (!text)
		return NULL;
	if (!proc)
		return path_join(NULL, text->raw, text->raw_len, text->flags & PATH_CUT);
	proc_view_refresh(&proc->view, procs->procfs, &procs->own);
	if (text->raw[0] != '/' && dirfd == AT_FDCWD) {
		base = proc_view_cwd(&proc->view, procs->procfs, procs->renames);
	} else if (text->raw[0] != '/') {
		dir = proc_desc(procs, proc, dirfd, 0);
		base = dir ? dir->path : NULL;
	}
	return proc_view_path(&proc->view, procs->procfs, base, text);
}

/* ---- what happens to processes ---- */

void procs_lost(struct procs *procs)
{
	procs->losses++;
}

void procs_renamed(struct procs *procs)
{
	procs->renames++;
}

void procs_fork(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags)
{
	struct proc *proc = proc_new(procs, child), *from = proc_find(procs, parent);

	if (!proc)
		return;
	proc->ppid = parent;
	proc->view.other_root = from && from->view.other_root;
	proc->view.other_root_in = from ? from->view.other_root_in : 0;
	/* What /proc said of the parent after the fork is not the child's: that is read itself. */
	if (!from || !from->scanned || from->past)
		return;
	proc->scanned = true; /* all that it will do is followed: nothing is older than this */
	proc_view_inherit(&proc->view, &from->view);
	if (from->fds && (clone_flags & CLONE_FILES_FLAG))
		proc->fds = fd_table_get(from->fds);
	else if (from->fds)
		proc->fds = fd_table_copy(from->fds);
}

/* exec ends sharing and closes what is marked. */
void procs_exec(struct procs *procs, uint32_t tgid, uint64_t ts)
{
	struct proc *proc = proc_find(procs, tgid);
	struct fd_table *own;

	if (!proc || !proc->scanned)
		return;
	proc->view.read_at = 0;
	proc_view_refresh(&proc->view, procs->procfs, &procs->own);
	own = proc_fds_at(proc, ts);
	if (own && own->refs > 1) {
		own = fd_table_copy(proc->fds);
		fd_table_put(proc->fds);
		proc->fds = own;
	}
	if (own)
		fd_table_exec(own);
}

void procs_exit(struct procs *procs, uint32_t tgid)
{
	struct proc **at = proc_place(procs, tgid);

	if (*at)
		proc_free(procs, at);
}
