/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls as thin as they can be: perf_event_open(2) has no wrapper in any
 * C library, statx(2) and ioprio_set(2) not in every one. Prints nothing; every
 * failure is a -errno that the caller explains.
 */
#include "compat/sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	long ret = syscall(__NR_perf_event_open, attr, pid, cpu, group_fd, flags);

	return ret < 0 ? -errno : (int)ret;
}

/* The largest number in a list such as "0-3,8-11". */
static int last_cpu(const char *list)
{
	int last = -1;

	while (*list) {
		char *end;
		long n = strtol(list, &end, 10);

		if (end == list)
			break;
		if (n > last && n < 1 << 20)
			last = (int)n;
		list = *end ? end + 1 : end;
	}
	return last;
}

bool sys_read_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

int cpus_online(bool *online, int n_cpus)
{
	char list[4096], *at = list;
	int n = 0;

	sys_read_text("/sys/devices/system/cpu/online", list, sizeof(list));
	memset(online, 0, n_cpus * sizeof(*online));
	while (*at >= '0' && *at <= '9') {
		long first = strtol(at, &at, 10), last = first;

		if (*at == '-')
			last = strtol(at + 1, &at, 10);
		for (; first <= last && first < n_cpus; first++, n++)
			online[first] = true;
		at += *at == ',';
	}
	return n;
}

int cpus_possible(void)
{
	char list[4096];
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	int last;

	sys_read_text("/sys/devices/system/cpu/possible", list, sizeof(list));
	last = last_cpu(list);
	if (last >= 0)
		return last + 1;
	return configured > 0 ? (int)configured : 1;
}

static struct rlimit memlock_before;
static bool memlock_raised;

void memlock_raise(void)
{
	struct rlimit lim = { RLIM_INFINITY, RLIM_INFINITY };

	if (!memlock_raised)
		memlock_raised = getrlimit(RLIMIT_MEMLOCK, &memlock_before) == 0;
	if (setrlimit(RLIMIT_MEMLOCK, &lim) == 0 || getrlimit(RLIMIT_MEMLOCK, &lim) != 0)
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_MEMLOCK, &lim);
}

void memlock_restore(void)
{
	if (memlock_raised)
		setrlimit(RLIMIT_MEMLOCK, &memlock_before);
}

static struct rlimit nofile_before;
static bool nofile_raised;

uint64_t nofile_raise(uint64_t wanted)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= wanted)
		return wanted;
	if (!nofile_raised)
		nofile_before = lim;
	nofile_raised = true;
	lim.rlim_cur = wanted;
	if (lim.rlim_max < wanted)
		lim.rlim_max = wanted;
	if (setrlimit(RLIMIT_NOFILE, &lim) == 0)
		return wanted;
	/* without CAP_SYS_RESOURCE */
	lim = nofile_before;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
	return lim.rlim_max < wanted ? lim.rlim_max : wanted;
}

void nofile_restore(void)
{
	if (nofile_raised)
		setrlimit(RLIMIT_NOFILE, &nofile_before);
}

/* ---- processes ---- */

/* the same number everywhere; linux/pidfd.h came later */
#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif

int sys_pidfd_open(pid_t pid)
{
	long fd = syscall(__NR_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

/* ---- files ---- */

/* linux/stat.h, linux/fcntl.h of 4.11 */
#define STATX_BASIC_AND_BTIME 0xfffu
#define DONT_SYNC_FLAG 0x4000
#define EMPTY_PATH_FLAG 0x1000
#ifndef AT_NO_AUTOMOUNT
#define AT_NO_AUTOMOUNT 0x800
#endif

static struct iot_statx_time statx_time(struct timespec t)
{
	return (struct iot_statx_time){ .s = t.tv_sec, .ns = t.tv_nsec };
}

static int stat_without_statx(int dir_fd, const char *name, int flags, struct iot_statx *out)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, flags))
		return -errno;
	*out = (struct iot_statx){
		.nlink = st.st_nlink,
		.uid = st.st_uid,
		.gid = st.st_gid,
		.mode = st.st_mode,
		.ino = st.st_ino,
		.size = st.st_size,
		.atime = statx_time(st.st_atim),
		.ctime = statx_time(st.st_ctim),
		.mtime = statx_time(st.st_mtim),
		.dev_major = major(st.st_dev),
		.dev_minor = minor(st.st_dev),
	};
	return 0;
}

static int statx_or_stat(int dir_fd, const char *name, int flags, struct iot_statx *st)
{
#ifdef __NR_statx
	if (!syscall(__NR_statx, dir_fd, name, flags | DONT_SYNC_FLAG, STATX_BASIC_AND_BTIME, st))
		return 0;
	if (errno != ENOSYS && errno != EPERM)
		return -errno;
#endif
	return stat_without_statx(dir_fd, name, flags, st);
}

int sys_statx(int dir_fd, const char *name, struct iot_statx *st)
{
	return statx_or_stat(dir_fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, st);
}

int sys_statx_fd(int fd, struct iot_statx *st)
{
	return statx_or_stat(fd, "", EMPTY_PATH_FLAG, st);
}

/* linux/openat2.h of 5.12; the number is the same on all machines */
#ifndef __NR_openat2
#define __NR_openat2 437
#endif
#define RESOLVE_IN_ROOT_FLAG 0x10
#define RESOLVE_CACHED_FLAG 0x20

int sys_open_cached(int dir_fd, const char *path, bool in_root)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_CACHED_FLAG | (in_root ? RESOLVE_IN_ROOT_FLAG : 0),
	};
	long fd = syscall(__NR_openat2, dir_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* ---- priorities (uapi/linux/ioprio.h) ---- */

#define IOPRIO_WHO_PROCESS_ID 1
#define IOPRIO_IDLE (3 << 13)
#define IOPRIO_BY_NICE 0
#define NICEST 19

static void set_priority(pid_t tid, int policy, int nice, int io)
{
	struct sched_param param = { 0 };

	/* each helps where it may be set */
	sched_setscheduler(tid, policy, &param);
	setpriority(PRIO_PROCESS, (id_t)tid, nice);
	syscall(__NR_ioprio_set, IOPRIO_WHO_PROCESS_ID, tid, io);
}

/* Not SCHED_IDLE: where all processors compute, what is due at a time would not be taken for many seconds. */
void sys_thread_low(void)
{
	set_priority((pid_t)syscall(__NR_gettid), SCHED_BATCH, NICEST, IOPRIO_IDLE);
}

void sys_thread_normal(pid_t tid)
{
	set_priority(tid, SCHED_OTHER, 0, IOPRIO_BY_NICE);
}
