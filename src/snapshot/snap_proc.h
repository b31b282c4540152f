/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes as /proc shows them: one small file for each, more on request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SNAP_NS = 7 }; /* mnt, pid, net, user, uts, ipc, cgroup */

/* From /proc/PID/stat */
struct snap_proc {
	int fd; /* /proc/PID, for the call */
	uint32_t pid;
	uint32_t ppid;
	uint32_t threads;
	char state;
	bool kernel;      /* a thread of the kernel: no arguments, user 0 */
	char name[68];    /* 15 bytes; of kernel workers more */
	uint64_t ticks;   /* of CPU, user and system */
	uint64_t start;   /* ticks after the start of the machine */
	uint64_t read_ns; /* CLOCK_MONOTONIC, when ticks was so many */
	uint64_t vsize;   /* bytes */
	uint64_t rss;     /* pages */
};

typedef void snap_proc_fn(void *arg, const struct snap_proc *process);

/*
 * Calls fn for each process below proc; one that ends meanwhile may be left out. Returns 0 or
 * -errno.
 */
int snap_proc_each(const char *proc, snap_proc_fn *fn, void *arg);

/* Of a tick as /proc has it (USER_HZ), whatever the kernel's own are. */
uint64_t snap_proc_tick_ns(void);

/* Real user; UINT64_MAX when not readable. */
uint64_t snap_proc_uid(const struct snap_proc *process);
/* The bytes of cmdline, ends of arguments included, without NULs behind the last; their number. */
size_t snap_proc_args(const struct snap_proc *process, char *out, size_t size);
/* Path of the control group; empty when not known. */
void snap_proc_cgroup(const struct snap_proc *process, char *out, size_t size);
/* Inodes, 0 when not readable. */
void snap_proc_namespaces(const struct snap_proc *process, uint32_t ns[SNAP_NS]);

/* "running", "sleeping" … for the letter of stat; empty for one that is not known. */
const char *snap_proc_status(char state);

/* The fields of a line of stat; false when it is none. */
bool snap_proc_parse(char *line, struct snap_proc *process);
