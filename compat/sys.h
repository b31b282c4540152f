/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls that old C libraries lack, and constants that old headers
 * lack. Each wrapper returns a valid result or -errno.
 */
#ifndef IO_COMPAT_SYS_H
#define IO_COMPAT_SYS_H

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

int sys_bpf(int cmd, union bpf_attr *attr, unsigned int size);
int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags);

/* Not in headers before 4.17. */
#define RAW_TRACEPOINT_TYPE 17 /* BPF_PROG_TYPE_RAW_TRACEPOINT */

/* Attaches to an event ("block_rq_issue"); the descriptor is the attachment. Or -errno. */
int bpf_raw_tracepoint_fd(const char *name, int prog_fd);

int bpf_map_create_fd(uint32_t type, const char *name, uint32_t key_size, uint32_t value_size,
		      uint32_t max_entries, uint32_t flags);
/*
 * A GPL program. name and log may be NULL; a kernel that knows no names gets
 * none. kern_version matters to kprobe programs before 5.0.
 */
int bpf_prog_load_fd(uint32_t type, const char *name, const struct bpf_insn *insns,
		     uint32_t n_insns, uint32_t kern_version, char *log, uint32_t log_size);
/* How often the kernel skipped a program since it was loaded; 0 before 5.12, which does not count. */
uint64_t bpf_prog_skipped(int prog_fd);

int bpf_map_put(int fd, const void *key, const void *value); /* BPF_ANY */
int bpf_map_get(int fd, const void *key, void *value);
int bpf_map_remove(int fd, const void *key);
int bpf_map_next(int fd, const void *key, void *next_key); /* key NULL: the first; -ENOENT at the end */

/*
 * The highest possible CPU number plus one, from /sys/devices/system/cpu/possible:
 * the size of a perf event array, and never less than the length of a per-CPU
 * map's value array (which is packed: zero the buffer before a lookup).
 */
int cpus_possible(void);

/* Which of the first n_cpus are online; returns how many. */
int cpus_online(bool *online, int n_cpus);

/* Raises RLIMIT_MEMLOCK as far as it goes: maps count against it before 5.11. */
void memlock_raise(void);

/* For a child that is not ours: the limit as it was. */
void memlock_restore(void);

/* CLOCK_MONOTONIC, ns: the clock that records carry. */
static inline uint64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif
