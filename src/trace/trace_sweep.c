/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes from the kernel's tables what is left of tasks that are gone. The
 * programs do it themselves when a task is freed, but the kernel passes over a
 * program that would interrupt another one, and many tasks are freed in
 * interrupts: of 40,000 short processes with some system calls 340 stayed
 * (6.18), and a full table takes no new ones.
 */
#include "trace/trace_sweep.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#include "compat/sys/bpf.h"
#include "resolve/targets.h"
#include "trace/load.h"
#include "trace/trace_set.h"

/* Twice as much as the largest table holds: one that changes meanwhile may be begun anew */
#define MAX_STEPS (2 * 16384)

/* Inode of the first pid namespace: PROC_PID_INIT_INO, linux/proc_ns.h, the same since 3.8 */
#define FIRST_PID_NAMESPACE 0xeffffffcU

/* Places of the table of pending calls that a sweep looks at: before 5.6 each costs a system call. */
#define PLACES_SWEPT 2048

/* Their keys are numbers of tasks. */
static const char *const tables[] = { "iot_tasks", "iot_members" };

/* The kernel's numbers of tasks are the first namespace's. */
static bool numbers_are_ours(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_PID_NAMESPACE;
}

static bool is_gone(uint32_t task)
{
	return task && kill((pid_t)task, 0) && errno == ESRCH;
}

static uint64_t sweep_table(int fd)
{
	uint32_t task, next;
	uint64_t removed = 0;
	bool more = !bpf_map_next(fd, NULL, &task);

	for (int step = 0; more && step < MAX_STEPS; step++) {
		/* before the key goes: behind one that is not there the kernel begins anew */
		more = !bpf_map_next(fd, &task, &next);
		if (is_gone(task))
			removed += !bpf_map_remove(fd, &task);
		task = next;
	}
	return removed;
}

/* What a task that is gone had begun; its place may have been given away meanwhile, and then stays as it is. */
static bool sweep_place(int fd, uint32_t place, uint64_t key)
{
	static const union iot_pending nobodys;
	union iot_pending again;

	if (!key || !is_gone((uint32_t)key))
		return false;
	return !bpf_map_get(fd, &place, &again) && again.head.key == key &&
	       !bpf_map_put(fd, &place, &nobodys);
}

static uint64_t sweep_pending(int fd, uint32_t *place)
{
	union iot_pending entries[TRACE_PLACES];
	uint64_t removed = 0;

	for (unsigned n = 0; n < PLACES_SWEPT; n += TRACE_PLACES) {
		if (bpf_array_get(fd, *place, TRACE_PLACES, sizeof(entries[0]), entries))
			break;
		for (unsigned i = 0; i < TRACE_PLACES; i++)
			removed += sweep_place(fd, *place + i, entries[i].head.key);
		*place = (*place + TRACE_PLACES) % IOT_PENDING_SIZE;
	}
	return removed;
}

bool trace_has_ended(uint32_t tgid)
{
	return numbers_are_ours() && !targets_alive("/proc", tgid);
}

bool trace_follows_any(const struct trace *trace)
{
	int fd = load_map(&trace->loaded, "iot_tasks");
	uint32_t task;
	bool more = fd >= 0 && numbers_are_ours() && !bpf_map_next(fd, NULL, &task);

	for (int step = 0; more && step < MAX_STEPS; step++) {
		if (targets_alive("/proc", task))
			return true;
		more = !bpf_map_next(fd, &task, &task);
	}
	return false;
}

void trace_sweep(struct trace *trace)
{
	int pending = load_map(&trace->loaded, "iot_pending");

	if (!numbers_are_ours())
		return;
	if (pending >= 0)
		trace->swept += sweep_pending(pending, &trace->next_place);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		int fd = load_map(&trace->loaded, tables[i]);

		if (fd >= 0)
			trace->swept += sweep_table(fd);
	}
}
