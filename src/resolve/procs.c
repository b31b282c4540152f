/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as they come and go, and what /proc says of those that were there
 * before.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "compat/sys.h"
#include "base/clock.h"
#include "resolve/procnet.h"
#include "resolve/procs_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/sched.h */
#define CLONE_FILES_FLAG 0x400

#define MAX_PROCS 65536

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
	files_put(procs, proc->files);
	files_forget(proc->past);
	path_put(proc->cwd);
	path_put(proc->root);
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
	proc->tgid = tgid;
	proc->losses = procs->losses;
	proc->next = *at;
	*at = proc;
	procs->n_procs++;
	return proc;
}

struct desc *desc_of_file(const struct procfs_file *file)
{
	struct path *path = file->path[0] ? path_new(file->path, strlen(file->path),
						     PATH_FULL | PATH_PROC) :
					    NULL;
	struct desc *desc = desc_new(file->scope, path);

	path_put(path);
	if (!desc)
		return NULL;
	desc->ino = file->ino;
	desc->dev = file->dev;
	desc->deleted = file->deleted;
	return desc;
}

struct desc *desc_from_proc(uint32_t tgid, int fd, bool *cloexec)
{
	struct procfs_file file;
	struct desc *desc = procfs_fd(tgid, fd, true, &file) ? desc_of_file(&file) : NULL;

	if (!desc)
		return NULL;
	desc->flags = file.flags;
	desc->pos = file.pos;
	desc->as_of = mono_ns();
	*cloexec = file.cloexec;
	return desc;
}

struct scan {
	struct procs *procs;
	struct proc *proc;
};

/* linux/kcmp.h. Above 0: two files, or one opened twice; below: the kernel does not say. */
static long compare_files(uint32_t tgid, int fd, int other)
{
	const int file = 0;

	return syscall(SYS_kcmp, tgid, tgid, file, fd, other);
}

/* The description that an earlier descriptor has, too: "2>&1" makes such. A new reference. */
static struct desc *find_twin(const struct proc *proc, int fd, struct desc *desc)
{
	for (int i = 0; i < fd && (uint32_t)i < proc->files->n_slots; i++) {
		struct desc *other = proc->files->slots[i].desc;
		long order;

		if (!other || other->ino != desc->ino || other->dev != desc->dev ||
		    desc->scope != SCOPE_IN)
			continue;
		order = compare_files(proc->tgid, fd, i);
		if (order == 0) {
			other->refs++;
			return other;
		}
		if (order < 0)
			other->loose = desc->loose = true;
	}
	return NULL;
}

static void scan_fd(void *arg, int fd)
{
	struct scan *scan = arg;
	bool cloexec = false;
	struct desc *desc = desc_from_proc(scan->proc->tgid, fd, &cloexec);
	struct desc *twin = desc ? find_twin(scan->proc, fd, desc) : NULL;

	if (twin)
		desc_free(desc);
	if (desc)
		files_set(scan->procs, scan->proc->files, fd, twin ? twin : desc, cloexec);
}

/* Where a process looks from; unshare, setns and chroot are not followed, so it is asked anew. */
void proc_view(struct procs *procs, struct proc *proc)
{
	uint64_t now = mono_ns();
	struct procfs_file root;
	uint32_t mntns;
	bool has_root;

	if (now - proc->viewed_at < VIEW_NS)
		return;
	proc->viewed_at = now;
	mntns = procfs_mntns(proc->tgid);
	if (!mntns)
		return; /* it ended: what was known last has to do */
	proc->mntns = mntns;
	proc->foreign = procs->own_mntns && mntns != procs->own_mntns;
	path_put(proc->root);
	proc->root = NULL;
	has_root = procfs_directory(proc->tgid, "root", &root);
	if (has_root) {
		proc->elsewhere = proc->foreign &&
				  (root.ino != procs->root_ino || root.dev != procs->root_dev);
		proc->elsewhere_in = mntns;
	}
	if (!proc->foreign && has_root && root.path[1])
		proc->root = path_new(root.path, strlen(root.path), PATH_FULL | PATH_PROC);
}

/* The file at an absolute path as told in rows, looked at with the eyes of the process. */
bool look_at(const struct proc *proc, const char *path, struct procfs_file *file)
{
	size_t skip = proc->root ? proc->root->raw_len : 0;

	if (!skip || strncmp(path, proc->root->raw, skip))
		return procfs_path(proc->tgid, proc->foreign, path, file);
	return procfs_in_root(proc->tgid, path + skip, file);
}

/* Takes over the reference to the path. */
void set_cwd(struct proc *proc, struct path *path, uint64_t ino, uint32_t dev)
{
	path_put(proc->cwd);
	proc->cwd = path;
	proc->cwd_ino = ino;
	proc->cwd_dev = dev;
}

void set_cwd_from_proc(struct proc *proc, const struct procfs_file *file)
{
	set_cwd(proc, path_new(file->path, strlen(file->path), PATH_FULL | PATH_PROC), file->ino,
		file->dev);
}

/* Reads descriptors and directory from /proc, unless they are known already. */
static void proc_scan(struct procs *procs, struct proc *proc)
{
	struct scan scan = { .procs = procs, .proc = proc };
	struct procfs_file cwd;
	bool alive;

	if (proc->scanned || !procs->follow)
		return;
	proc->scanned = true;
	proc->files = files_new();
	alive = procfs_each_fd(proc->tgid, scan_fd, &scan);
	if (procfs_directory(proc->tgid, "cwd", &cwd))
		set_cwd_from_proc(proc, &cwd);
	proc_view(procs, proc);
	/* of one that has ended by now nothing was learned, and all that arrives is followed */
	proc->scanned_at = alive ? mono_ns() : 0;
}

/*
 * The descriptors that a record of time ts is about. Until the records reach
 * the time when /proc was read, what they make is kept apart: /proc tells of
 * another file under the same number, or of none.
 */
struct files *files_at(struct proc *proc, uint64_t ts)
{
	if (ts >= proc->scanned_at) {
		files_forget(proc->past);
		proc->past = NULL;
		return proc->files;
	}
	if (!proc->past)
		proc->past = files_new();
	return proc->past;
}

/* What was followed may be wrong by now: it is read again when it is next asked for. */
static void proc_forget(struct proc *proc)
{
	if (proc->files && --proc->files->refs == 0)
		files_forget(proc->files);
	files_forget(proc->past);
	path_put(proc->cwd);
	proc->files = NULL;
	proc->past = NULL;
	proc->cwd = NULL;
	proc->cwd_ino = 0;
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

struct proc *proc_get(struct procs *procs, uint32_t tgid, bool scanned)
{
	struct proc *proc = proc_find(procs, tgid);

	if (!proc) {
		proc = proc_new(procs, tgid);
		if (!proc)
			return NULL;
		proc->ppid = procfs_ppid(tgid);
	}
	if (scanned)
		proc_scan(procs, proc);
	return proc;
}

void procs_lost(struct procs *procs)
{
	procs->losses++;
}

struct procs *procs_open(bool follow, procs_close_fn *closed, void *arg)
{
	struct procs *procs = calloc(1, sizeof(*procs));
	struct procfs_file root;

	if (!procs)
		return NULL;
	procs->net = procnet_open();
	if (!procs->net) {
		free(procs);
		return NULL;
	}
	procs->follow = follow;
	procs->closed = closed;
	procs->arg = arg;
	procs->own_mntns = procfs_mntns(getpid());
	if (procfs_directory(getpid(), "root", &root)) {
		procs->root_ino = root.ino;
		procs->root_dev = root.dev;
	}
	return procs;
}

static void ignore_close(void *arg, const struct procs_close *closed)
{
	(void)arg;
	(void)closed;
}

void procs_shut(struct procs *procs)
{
	if (!procs)
		return;
	procs->closed = ignore_close;
	for (int i = 0; i < BUCKETS; i++)
		while (procs->buckets[i])
			proc_free(procs, &procs->buckets[i]);
	path_put(procs->last_path);
	procnet_close(procs->net);
	free(procs);
}

void procs_seed(struct procs *procs, uint32_t tgid, bool stopped)
{
	struct proc *proc = proc_get(procs, tgid, true);
	struct procfs_file messages = { .ino = 0 };

	if (!proc || !stopped)
		return;
	proc->scanned_at = 0;
	procfs_fd(getpid(), STDERR_FILENO, false, &messages);
	for (uint32_t fd = 0; proc->files && fd < proc->files->n_slots; fd++) {
		struct slot *slot = &proc->files->slots[fd];

		if (!slot->desc)
			continue;
		slot->desc->kept = true;
		/* what we say in between moves it */
		if (slot->desc->ino == messages.ino && slot->desc->dev == messages.dev)
			slot->desc->loose = true;
		/* what will be closed by its exec is the tracer's own */
		if (slot->cloexec)
			slot->desc->scope = SCOPE_OUT;
	}
}

uint32_t procs_ppid(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = tgid ? proc_get(procs, tgid, false) : NULL;

	return proc ? proc->ppid : 0;
}

uint32_t procs_mntns(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = proc_get(procs, tgid, true);

	return proc ? proc->mntns : 0;
}

bool procs_looks_elsewhere(struct procs *procs, uint32_t tgid, uint32_t mntns)
{
	struct proc *proc;

	if (!mntns || !procs->own_mntns || mntns == procs->own_mntns)
		return false;
	proc = proc_get(procs, tgid, false);
	if (!proc)
		return true;
	proc_view(procs, proc);
	/* of one that has ended without being looked at there, nobody can say that it is */
	return proc->elsewhere || proc->elsewhere_in != mntns;
}

bool procs_sees_our_paths(struct procs *procs, uint32_t tgid)
{
	const struct proc *proc = proc_get(procs, tgid, true);

	return proc && !proc->foreign && !proc->root;
}

void procs_fork(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags)
{
	struct proc *proc = proc_new(procs, child), *from = proc_find(procs, parent);

	if (!proc)
		return;
	proc->ppid = parent;
	proc->elsewhere = from && from->elsewhere;
	proc->elsewhere_in = from ? from->elsewhere_in : 0;
	/* What /proc told of the parent after the fork is not the child's: that is read itself. */
	if (!from || !from->scanned || from->past)
		return;
	proc->scanned = true; /* all that it will do is followed: nothing is older than this */
	proc->mntns = from->mntns;
	proc->foreign = from->foreign;
	proc->root = path_get(from->root);
	set_cwd(proc, path_get(from->cwd), from->cwd_ino, from->cwd_dev);
	if ((clone_flags & CLONE_FILES_FLAG) && from->files) {
		proc->files = from->files;
		proc->files->refs++;
	} else {
		proc->files = files_copy(from->files);
	}
}

/* exec ends sharing and closes what is marked. */
void procs_exec(struct procs *procs, uint32_t tgid, uint64_t ts)
{
	struct proc *proc = proc_find(procs, tgid);
	struct files *own;

	if (!proc || !proc->scanned)
		return;
	proc->viewed_at = 0;
	proc_view(procs, proc);
	own = files_at(proc, ts);
	if (own && own->refs > 1) {
		own = files_copy(proc->files);
		files_put(procs, proc->files);
		proc->files = own;
	}
	for (uint32_t fd = 0; own && fd < own->n_slots; fd++)
		if (own->slots[fd].desc && own->slots[fd].cloexec)
			files_set(procs, own, fd, NULL, false);
}

void procs_exit(struct procs *procs, uint32_t tgid)
{
	struct proc **at = proc_place(procs, tgid);

	if (*at)
		proc_free(procs, at);
}
