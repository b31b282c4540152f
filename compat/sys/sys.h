/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls that old C libraries lack, and constants that old headers
 * lack. Each wrapper returns a valid result or -errno.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags);

/*
 * The highest possible CPU number plus one, from /sys/devices/system/cpu/possible:
 * the size of a perf event array, and never less than the length of a per-CPU
 * map's value array (which is packed: zero the buffer before a lookup).
 */
int cpus_possible(void);

/*
 * A small file of proc or sysfs, as far as it fits: NUL-terminated. False, and empty: there is
 * nothing to read.
 */
bool sys_read_text(const char *path, char *out, size_t size);

/* Which of the first n_cpus are online; returns how many. */
int cpus_online(bool *online, int n_cpus);

/* Readable when the process has ended; -ENOSYS before 5.3. Closed by exec. */
int sys_pidfd_open(pid_t pid);

/* Raises RLIMIT_MEMLOCK as far as it goes: maps count against it before 5.11. */
void memlock_raise(void);

/* For a child that is not ours: the limit as it was. */
void memlock_restore(void);

/* Likewise so many open files, if that may be: returns the limit, at most what was wanted. */
uint64_t nofile_raise(uint64_t wanted);
void nofile_restore(void);

/* What statx(2) tells (4.11), by its layout: the C libraries of 2017 have none of it. */
struct iot_statx_time {
	int64_t s;
	uint32_t ns;
	int32_t reserved;
};

struct iot_statx {
	uint32_t mask;
	uint32_t block_size;
	uint64_t attributes;
	uint32_t nlink;
	uint32_t uid;
	uint32_t gid;
	uint16_t mode;
	uint16_t reserved;
	uint64_t ino;
	uint64_t size;
	uint64_t blocks;
	uint64_t attributes_mask;
	struct iot_statx_time atime, btime, ctime, mtime;
	uint32_t rdev_major, rdev_minor;
	uint32_t dev_major, dev_minor;
	uint64_t spare[14];
};

#define IOT_STATX_BTIME 0x800u

/*
 * A name below dir_fd, no link followed, no automount caused, no server asked
 * for what is known. Where statx is forbidden (seccomp filters of old container
 * runtimes), by fstatat: without btime. Returns 0 or -errno.
 */
int sys_statx(int dir_fd, const char *name, struct iot_statx *st);
/* The same of an open file. */
int sys_statx_fd(int fd, struct iot_statx *st);

/*
 * O_PATH of what a path leads to, as far as the kernel has all names on it in memory and need not ask
 * anybody (RESOLVE_CACHED, 5.12): a descriptor or -errno. in_root: dir_fd is the root of the path.
 */
int sys_open_cached(int dir_fd, const char *path, bool in_root);

/*
 * The calling thread gets the CPU as the least of all and the disks when nobody else wants them;
 * and back.
 */
void sys_thread_low(void);
void sys_thread_normal(pid_t tid);
