/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the threads that do not share all, and gives up those that have ended. */
#include "resolve/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "resolve/fd_scan.h"

enum { THREADS_LATELY = 128 };

struct proc *proc_new(uint32_t tgid)
{
	struct proc *proc = calloc(1, sizeof(*proc));

	if (!proc)
		return NULL;
	proc->view = proc_view_new(NULL);
	if (!proc->view) {
		free(proc);
		return NULL;
	}
	proc->tgid = proc->number = proc->view->tgid = tgid;
	return proc;
}

/* put: fd_table_put() or, without a word to the listener, fd_table_discard() */
static void free_thread(struct proc **at, void (*put)(struct fd_table *table))
{
	struct proc *thread = *at;

	*at = thread->next;
	put(thread->fds);
	fd_table_discard(thread->past);
	proc_view_put(thread->view);
	free(thread);
}

static void free_threads(struct proc *proc, void (*put)(struct fd_table *table))
{
	while (proc->threads)
		free_thread(&proc->threads, put);
}

/*
 * Threads that ended, when there are many: nobody tells when one does. Those that had records lately
 * may have more that are still to come.
 */
static void sweep_threads(struct proc *process, const struct procfs *procfs)
{
	struct proc **at = &process->threads;
	unsigned n = 0;

	for (const struct proc *thread = process->threads; thread; thread = thread->next)
		n++;
	if (n < 2 * THREADS_LATELY || n % THREADS_LATELY)
		return;
	for (n = 0; *at; n++) {
		if (n >= THREADS_LATELY && !procfs_mntns(procfs, (*at)->tgid))
			free_thread(at, fd_table_put);
		else
			at = &(*at)->next;
	}
}

void proc_close(struct proc *proc)
{
	free_threads(proc, fd_table_put);
	fd_table_put(proc->fds);
	fd_table_discard(proc->past);
	proc_view_put(proc->view);
	path_put(proc->group);
	free(proc);
}

void proc_forget(struct proc *proc)
{
	free_threads(proc, fd_table_discard);
	fd_table_discard(proc->fds);
	fd_table_discard(proc->past);
	proc->fds = proc->past = NULL;
	proc_view_forget_cwd(proc->view);
	proc->scanned = proc->group_known = false;
}

/* ---- /proc ---- */

/* The first thread of a process may have ended before the others. */
void proc_refresh(struct proc *proc, const struct procfs *procfs, const struct own_view *own)
{
	uint32_t living;

	if (proc_view_refresh(proc->view, procfs, own))
		return;
	living = procfs_living(procfs, proc->tgid);
	if (living == proc->number)
		return;
	proc->number = proc->view->tgid = living;
	proc->view->read_at = 0;
	proc_view_refresh(proc->view, procfs, own);
}

void proc_scan(struct proc *proc, const struct procfs *procfs, const struct own_view *own,
	       const struct desc_listener *listener)
{
	bool alive;

	proc->scanned = true;
	proc_refresh(proc, procfs, own);
	proc->fds = fd_table_new(listener);
	alive = proc->fds && fd_scan_all(proc->fds, procfs, proc->number);
	if (!proc->view->cwd)
		proc_view_read_cwd(proc->view, procfs);
	/* of one that has ended by now nothing was learned, and all that arrives is followed */
	proc->scanned_at = alive ? mono_ns() : 0;
	/* the others are compared with the one that was read */
	if (alive && !proc->divided && proc_divides(proc, procfs, proc->number, false))
		proc_add_thread(proc, proc, proc->number);
}

/* ---- what is shared ---- */

void proc_own_files(struct proc *proc)
{
	struct fd_table *own = proc->fds && proc->fds->refs > 1 ? fd_table_copy(proc->fds) : NULL;

	if (!own)
		return;
	fd_table_put(proc->fds);
	proc->fds = own;
}

void proc_own_view(struct proc *proc)
{
	struct proc_view *own = proc->view->refs > 1 ? proc_view_new(proc->view) : NULL;

	proc->view->read_at = 0;
	if (!own)
		return;
	own->tgid = proc->number;
	proc_view_put(proc->view);
	proc->view = own;
}

struct proc *proc_add_thread(struct proc *process, const struct proc *with, uint32_t tid)
{
	struct proc *thread = malloc(sizeof(*thread));

	if (!thread)
		return NULL;
	*thread = *with;
	thread->tgid = thread->number = tid;
	thread->threads = NULL;
	thread->past = NULL;
	if (thread->fds)
		fd_table_get(thread->fds);
	proc_view_get(thread->view);
	thread->next = process->threads;
	process->threads = thread;
	process->divided = true;
	thread->divided = true;
	return thread;
}

/* linux/kcmp.h. Above 0: not the same; below: nobody can say (any more). */
enum { KCMP_OF_FILES = 2, KCMP_OF_FS = 3 };

static long compare_threads(uint32_t one, uint32_t other, int what)
{
	return one == other ? 0 : syscall(SYS_kcmp, one, other, what, 0, 0);
}

/*
 * With whom the thread shares it: another one, or the process, whose entry stands for all who were not
 * seen. *own: with none of them, because one that shares it with the process does not with this one.
 */
static const struct proc *shares_with(const struct proc *process, uint32_t tid, int what, bool *own)
{
	*own = false;
	for (const struct proc *other = process->threads; other; other = other->next) {
		long order = compare_threads(tid, other->tgid, what);
		bool stands = what == KCMP_OF_FS ? other->view == process->view :
						   other->fds == process->fds;

		if (order == 0) {
			*own = false;
			return other;
		}
		*own |= order > 0 && stands;
	}
	return process;
}

static struct proc *make_thread(struct proc *process, const struct procfs *procfs, uint32_t tid)
{
	bool own_files, own_view;
	const struct proc *files = shares_with(process, tid, KCMP_OF_FILES, &own_files);
	const struct proc *view = shares_with(process, tid, KCMP_OF_FS, &own_view);
	struct proc *thread = proc_add_thread(process, files, tid);

	if (!thread)
		return process;
	sweep_threads(process, procfs);
	proc_view_put(thread->view);
	thread->view = proc_view_get(view->view);
	if (own_view) {
		proc_own_view(thread);
		proc_view_read_cwd(thread->view, procfs);
	}
	if (own_files) {
		fd_table_discard(thread->fds);
		thread->fds = NULL;
		thread->scanned = false;
	}
	return thread;
}

struct proc *proc_thread(struct proc *process, const struct procfs *procfs, uint32_t tid)
{
	struct proc **at = &process->threads, *thread;

	while ((thread = *at) && thread->tgid != tid)
		at = &thread->next;
	if (!thread)
		return make_thread(process, procfs, tid);
	/* the last used comes first */
	*at = thread->next;
	thread->next = process->threads;
	process->threads = thread;
	return thread;
}

struct division {
	uint32_t tid;
	bool seen;   /* among the threads that there are now */
	bool untold; /* for another one the answer where the kernel does not say */
};

static bool differs_in(const struct division *of, uint32_t tid, int what)
{
	long order = compare_threads(of->tid, tid, what);

	return order > 0 || (order < 0 && (errno == ENOSYS || errno == EPERM) && of->untold);
}

static bool differs(void *arg, uint32_t tid)
{
	struct division *of = arg;

	of->seen |= of->tid == tid;
	return differs_in(of, tid, KCMP_OF_FILES) || differs_in(of, tid, KCMP_OF_FS);
}

bool proc_divides(const struct proc *process, const struct procfs *procfs, uint32_t tid,
		  bool untold)
{
	struct division of = { .tid = tid, .untold = untold };

	return procfs_find_thread(procfs, process->tgid, differs, &of) ||
	       (!of.seen && tid != process->number);
}
