/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as they come and go, each with its descriptors and its view of the file
 * system, followed from the records of system calls: what tier c has instead of a
 * struct file, and what tier b counts last closes with. Where nothing was seen yet,
 * /proc is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/fd_table.h"
#include "resolve/proc.h"
#include "resolve/procfs.h"
#include "row/path.h"

struct procs;

/*
 * follow: descriptors are followed; otherwise only parents are known. numbers: open file
 * descriptions get numbers here, because no record has them. All is borrowed; NULL without memory.
 */
struct procs *procs_open(const struct procfs *procfs, bool follow, bool numbers,
			 desc_close_fn *closed, void *arg);
void procs_close(struct procs *procs);
const struct procfs *procs_procfs(const struct procs *procs);

/* Whose record is handled: what is asked of its process from now on is as this thread has it. */
void procs_caller(struct procs *procs, uint32_t tgid, uint32_t tid);

/*
 * Learns a process with its descriptors. stopped: it stands still (the command
 * before it runs), so nothing that will arrive is older than what /proc says.
 */
void procs_seed(struct procs *procs, uint32_t tgid, bool stopped);

/* A process with its descriptors, where these are followed; NULL without memory. */
struct proc *procs_get(struct procs *procs, uint32_t tgid);

/*
 * The descriptors that a record of time ts is about. Until the records reach
 * the time when /proc was read, what they make is kept apart: /proc shows
 * another file under the same number, or none.
 */
struct fd_table *proc_fds_at(struct proc *proc, uint64_t ts);

/* What a descriptor refers to at time ts (0: now); NULL when there is none or it is not known. */
struct desc *proc_desc(const struct procs *procs, struct proc *proc, int fd, uint64_t ts);
struct desc *procs_desc(struct procs *procs, uint32_t tgid, int fd, uint64_t ts);

/* The number by which /proc is asked about it: of the caller, or of a thread that is there. */
uint32_t procs_number(struct procs *procs, uint32_t tgid);
/* A process of which nothing but its parent need be known; NULL without memory. */
struct proc *procs_entry(struct procs *procs, uint32_t tgid);
/* Parent of a process, 0 when not known. */
uint32_t procs_ppid(struct procs *procs, uint32_t tgid);
uint32_t procs_mntns(struct procs *procs, uint32_t tgid);
/*
 * In that mount namespace, not ours, with another root than ours: its paths are not the host's
 * view.
 */
bool procs_has_other_root(struct procs *procs, uint32_t tgid, uint32_t mntns);
/* Neither in another mount namespace nor below another root: a path leads it where it leads us. */
bool procs_sees_our_paths(struct procs *procs, uint32_t tgid);

/*
 * What follows processes; ts is the time of the record. The listener is called
 * inside.
 */
void procs_fork(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags);
/* The caller has its own from now on: CLONE_FILES its descriptors, CLONE_FS its directories. */
void procs_unshare(struct procs *procs, uint32_t tgid, uint32_t tid, uint64_t clone_flags);
/* The caller joined a namespace: of mounts, it stands at its root. */
void procs_joined(struct procs *procs, uint32_t tgid);
/* The caller made a thread that does not share everything. */
void procs_thread(struct procs *procs, uint32_t tgid, uint32_t tid, uint64_t clone_flags);
void procs_exec(struct procs *procs, uint32_t tgid, uint64_t ts);
void procs_exit(struct procs *procs, uint32_t tgid);

/*
 * Records were lost, an open, dup or close maybe among them: a path from a
 * followed descriptor could be another file's. Everything is read from /proc
 * again, and what cannot be (the process has ended) becomes unknown.
 */
void procs_lost(struct procs *procs);

/*
 * Something was mounted, moved or unmounted: files that are open may have other names from then on.
 */
void procs_mounted(struct procs *procs, uint64_t ts);
/*
 * If that was so, reads the name of a description again, for a record of that time on this
 * descriptor.
 */
void proc_renew(const struct procs *procs, const struct proc *proc, struct desc *desc, int fd,
		uint64_t ts);

/* Something was renamed: names of working directories may have changed. */
void procs_renamed(struct procs *procs);
