/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process with its descriptors and its view of the file system; and its threads, where these do
 * not share both. Knows no other process, and no records.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/fd_table.h"
#include "resolve/proc_view.h"
#include "resolve/procfs.h"

struct proc {
	struct proc *next; /* in its bucket; of a thread: of its process */
	uint32_t tgid;     /* of a thread: its own number */
	uint32_t number;   /* by which /proc is asked: of a thread that is there */
	uint32_t ppid;
	uint32_t losses;     /* how often records had been lost when it was learned */
	bool scanned;        /* descriptors and directory are known */
	bool group_known;    /* what of a control group is below */
	bool divided;        /* threads have entries of their own, from their first record on */
	uint32_t hierarchy;  /* of the group */
	struct path *group;  /* control group: a container's, if it is in one; NULL: not known */
	uint64_t scanned_at; /* CLOCK_MONOTONIC ns of the reading of /proc; 0: inherited */
	struct proc_view *view;
	struct fd_table *fds; /* NULL: not followed */
	struct fd_table
		*past; /* what calls made before /proc was read, in records that arrive after */
	struct proc *threads;
};

/* NULL without memory. */
struct proc *proc_new(uint32_t tgid);
/* It ended: what is in its tables is closed. */
void proc_close(struct proc *proc);
/* What was followed may be wrong by now: it is read again when it is next asked for. */
void proc_forget(struct proc *proc);

void proc_refresh(struct proc *proc, const struct procfs *procfs, const struct own_view *own);
/* Reads descriptors and directory from /proc. */
void proc_scan(struct proc *proc, const struct procfs *procfs, const struct own_view *own,
	       const struct desc_listener *listener);

/* What others may have, too, is its own from now on. */
void proc_own_files(struct proc *proc);
void proc_own_view(struct proc *proc);

/*
 * The entry of a thread of a divided process. Of one that is seen for the first time only the
 * kernel knows with whom it shares what; where that cannot be asked any more, it is with the
 * process.
 */
struct proc *proc_thread(struct proc *process, const struct procfs *procfs, uint32_t tid);
/*
 * An entry for a thread that shares everything with another one, or with the process. NULL without
 * memory.
 */
struct proc *proc_add_thread(struct proc *process, const struct proc *with, uint32_t tid);
/*
 * Whether others in the process do not have what this thread has; of one that is gone its number
 * has to tell, and where the kernel compares no threads (without CONFIG_KCMP), untold.
 */
bool proc_divides(const struct proc *process, const struct procfs *procfs, uint32_t tid,
		  bool untold);
