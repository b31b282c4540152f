/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set of traced processes grows in the kernel, by a program at task_newtask. Where the kernel skips that (7.2 and
 * later, while a task is preempted in another program on that CPU) a child would be left out for ever, and
 * all that descends from it. The kernel counts what it skips (5.12): then, and only then, /proc is read.
 */
#include "trace/trace_forks.h"

#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "compat/sys/bpf.h"
#include "resolve/targets.h"
#include "trace/load.h"
#include "trace/trace_set.h"

/* As /proc has the time at which a process was made */
static uint64_t ticks_since_boot(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return ((uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec) /
	       (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool follows(void *arg, uint32_t pid)
{
	uint8_t one;

	return !bpf_map_get(*(int *)arg, &pid, &one);
}

static bool follow(void *arg, uint32_t pid)
{
	uint8_t one = 1;

	log_detail("process %u: its fork was skipped by the kernel; followed from now on", pid);
	return !bpf_map_put(*(int *)arg, &pid, &one);
}

/* The time first: a child that is made meanwhile is looked for twice. Returns whether the kernel skipped any since. */
static bool look(struct trace *trace, uint64_t *since)
{
	uint64_t now = ticks_since_boot(), skipped = bpf_prog_skipped(trace->forks.prog_fd);
	bool more = skipped != trace->forks.skipped;

	*since = trace->forks.looked_at;
	trace->forks.looked_at = now;
	trace->forks.skipped = skipped;
	return more;
}

void trace_forks_begin(struct trace *trace)
{
	uint64_t since;

	trace->forks.found = 0;
	look(trace, &since);
}

void trace_find_forks(struct trace *trace)
{
	int tasks = load_map(&trace->loaded, "iot_tasks");
	const struct targets_set set = { .has = follows, .add = follow, .arg = &tasks };
	uint64_t since;

	if (!(trace->config.filters & IOT_FILTER_FORKS) || trace->forks.prog_fd <= 0 || tasks < 0)
		return;
	if (look(trace, &since))
		trace->forks.found += targets_children("/proc", since, &set);
}
