/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the formats of /proc/PID. Everything is opened below the directory of
 * the process, so that a number that is used again never mixes two of them.
 */
#include "snapshot/snap_proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "resolve/containers.h"

/* PF_KTHREAD, include/linux/sched.h: the same from 4.14 to 6.18 */
enum { KERNEL_THREAD = 0x200000 };

/* How long it may take to read one file, and how often it is read again */
enum { STAT_NS = 5000000, STAT_TRIES = 5 };

uint64_t snap_proc_tick_ns(void)
{
	long hz = sysconf(_SC_CLK_TCK);

	return 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
}

/* As much as fits, and a NUL behind it; 0 when there is nothing. These files come in one piece. */
static size_t read_file(int dir, const char *name, char *out, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	if (n < 0)
		n = 0;
	out[n] = '\0';
	return (size_t)n;
}

bool snap_proc_parse(char *line, struct snap_proc *p)
{
	char *open = strchr(line, '('), *close = strrchr(line, ')');
	unsigned long long utime, stime;
	unsigned flags;

	if (!open || !close || close < open)
		return false;
	*close = '\0';
	snprintf(p->name, sizeof(p->name), "%.*s", (int)sizeof(p->name) - 1, open + 1);
	p->pid = (uint32_t)strtoul(line, NULL, 10);
	/* proc(5): state ppid … flags(9) … utime(14) stime(15) … num_threads(20) … starttime(22) vsize rss */
	if (sscanf(close + 1,
		   " %c %" SCNu32
		   " %*s %*s %*s %*s %u %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s %" SCNu32
		   " %*s %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &p->state, &p->ppid, &flags, &utime, &stime, &p->threads, &p->start, &p->vsize,
		   &p->rss) != 9)
		return false;
	p->kernel = flags & KERNEL_THREAD;
	p->ticks = utime + stime;
	return p->pid != 0;
}

/*
 * With the time of it. Who reads at nice 19 may stand still in between: a use of
 * 117 % was seen. So it is read again while that took long.
 */
static size_t read_stat(int dir, char *out, size_t size, uint64_t *read_ns)
{
	uint64_t before, after;
	size_t n;
	int tries = 0;

	do {
		before = mono_ns();
		n = read_file(dir, "stat", out, size);
		after = mono_ns();
	} while (n && after - before > STAT_NS && ++tries < STAT_TRIES);
	*read_ns = before + (after - before) / 2;
	return n;
}

static void visit_process(int proc, const char *name, snap_proc_fn *fn, void *arg)
{
	struct snap_proc process = { .fd = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	char line[2048];
	uint64_t read_ns;

	if (process.fd < 0)
		return;
	if (read_stat(process.fd, line, sizeof(line), &read_ns) &&
	    snap_proc_parse(line, &process)) {
		process.read_ns = read_ns;
		fn(arg, &process);
	}
	close(process.fd);
}

int snap_proc_each(const char *proc, snap_proc_fn *fn, void *arg)
{
	DIR *dir = opendir(proc);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			visit_process(dirfd(dir), entry->d_name, fn, arg);
	closedir(dir);
	return 0;
}

uint64_t snap_proc_uid(const struct snap_proc *process)
{
	char text[4096], *at;

	if (process->kernel)
		return 0;
	if (!read_file(process->fd, "status", text, sizeof(text)))
		return UINT64_MAX;
	at = strstr(text, "\nUid:\t");
	return at ? strtoull(at + 6, NULL, 10) : UINT64_MAX;
}

size_t snap_proc_args(const struct snap_proc *process, char *out, size_t size)
{
	size_t n = process->kernel ? 0 : read_file(process->fd, "cmdline", out, size);

	/* a program that wrote its title over its arguments leaves zeros behind it */
	while (n && !out[n - 1])
		n--;
	return n;
}

void snap_proc_cgroup(const struct snap_proc *process, char *out, size_t size)
{
	char text[16384];

	out[0] = '\0';
	if (read_file(process->fd, "cgroup", text, sizeof(text)))
		containers_group(text, out, size);
}

void snap_proc_namespaces(const struct snap_proc *process, uint32_t ns[SNAP_NS])
{
	static const char *const names[SNAP_NS] = { "ns/mnt", "ns/pid", "ns/net",   "ns/user",
						    "ns/uts", "ns/ipc", "ns/cgroup" };
	char target[64], *at;

	for (int i = 0; i < SNAP_NS; i++) {
		ssize_t n = readlinkat(process->fd, names[i], target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		at = strchr(target, '[');
		ns[i] = at ? (uint32_t)strtoul(at + 1, NULL, 10) : 0;
	}
}

/* fs/proc/array.c, task_state_array, and the letters of older kernels */
const char *snap_proc_status(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
		return "sleeping";
	case 'D':
		return "disk-sleep";
	case 'T':
		return "stopped";
	case 't':
		return "tracing-stop";
	case 'Z':
		return "zombie";
	case 'X':
	case 'x':
		return "dead";
	case 'K':
		return "wake-kill";
	case 'W':
		return "waking";
	case 'I':
		return "idle";
	case 'P':
		return "parked";
	default:
		return "";
	}
}
