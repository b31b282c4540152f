/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the questions that are put to the running kernel itself instead of to a
 * file below the root: identity, privileges, limits.
 */
#include "compat/host/live.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "compat/sys/bpf.h"
#include "compat/sys/bpf_knows.h"
#include "compat/sys/root.h"

enum { HELPER_PROBE_READ = 4, HELPER_PROBE_READ_KERNEL = 113 };

/* By number: C libraries of 4.14's days have no names for the last two. */
enum { CAP_NR_SYS_ADMIN = 21, CAP_NR_PERFMON = 38, CAP_NR_BPF = 39 };

void live_identity(struct host *host)
{
	struct utsname uts;

	if (uname(&uts))
		return;
	snprintf(host->release, sizeof(host->release), "%s", uts.release);
	snprintf(host->version, sizeof(host->version), "%s", uts.version);
	snprintf(host->machine, sizeof(host->machine), "%.64s", uts.machine);
}

static void find_capabilities(void *arg, char *line)
{
	if (!strncmp(line, "CapEff:", 7))
		*(unsigned long long *)arg = strtoull(line + 7, NULL, 16);
}

static bool is_privileged(void)
{
	const unsigned long long both = 1ull << CAP_NR_BPF | 1ull << CAP_NR_PERFMON;
	unsigned long long caps = 0;

	root_each_line("", "proc/self/status", find_capabilities, &caps);
	return caps & 1ull << CAP_NR_SYS_ADMIN || (caps & both) == both;
}

static int read_setting(const char *path)
{
	char line[16];

	return root_read_line("", path, line, sizeof(line)) || !line[0] ? -1 : atoi(line);
}

/* A command that no kernel knows: EINVAL says that bpf(2) is there and open to us. */
static int try_bpf(void)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	/* no kernel's command; bits from 16 on have a meaning of their own (7.2: BPF_COMMON_ATTRS) */
	err = sys_bpf(0x7fff, &attr, sizeof(attr));
	return err == -EINVAL ? 0 : err;
}

void live_limits(struct host *host)
{
	struct rlimit limit;

	host->perf_event_paranoid = read_setting("proc/sys/kernel/perf_event_paranoid");
	host->unprivileged_bpf_disabled = read_setting("proc/sys/kernel/unprivileged_bpf_disabled");
	host->io_uring_disabled = read_setting("proc/sys/kernel/io_uring_disabled");
	if (!getrlimit(RLIMIT_MEMLOCK, &limit))
		host->memlock = limit.rlim_cur == RLIM_INFINITY ? LLONG_MAX :
								  (long long)limit.rlim_cur;
}

void live_judge_bpf(struct host *host)
{
	int err;

	if (!is_privileged()) {
		snprintf(host->bpf_why, sizeof(host->bpf_why),
			 "not privileged: run as root, or with CAP_BPF and CAP_PERFMON (5.8)");
		return;
	}
	if (!root_exists("", "proc/sys/kernel/perf_event_paranoid")) {
		snprintf(host->bpf_why, sizeof(host->bpf_why),
			 "this kernel is built without CONFIG_PERF_EVENTS");
		return;
	}
	err = try_bpf();
	if (err)
		snprintf(host->bpf_why, sizeof(host->bpf_why), "bpf(2): %s%s", strerror(-err),
			 err == -EPERM ? " (a container or seccomp forbids it)" : "");
	else if (bpf_knows(false, BPF_PROG_TYPE_TRACEPOINT) &&
		 !bpf_knows(true, HELPER_PROBE_READ) && !bpf_knows(true, HELPER_PROBE_READ_KERNEL))
		snprintf(host->bpf_why, sizeof(host->bpf_why),
			 "BPF programs may not read memory (bpf_probe_read), as under kernel "
			 "lockdown at confidentiality: boot with lockdown=integrity or none");
}
