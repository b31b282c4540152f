/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of -p: found by name, watched until the last of them has ended. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Processes of this name (as ps -o comm has it; the kernel keeps 15 bytes), this one left out.
 * Returns how many there are, also when more than max. proc: "/proc"
 */
unsigned targets_named(const char *proc, const char *name, uint32_t *pids, unsigned max);

/* The process that a thread is of, 0 when there is no such thread. */
uint32_t targets_process(const char *proc, uint32_t tid);

/* Whether it is there and not a zombie without threads. */
bool targets_alive(const char *proc, uint32_t pid);

/* Processes that somebody follows */
struct targets_set {
	bool (*has)(void *arg, uint32_t pid);
	bool (*add)(void *arg, uint32_t pid); /* false: it cannot be */
	void *arg;
};

/*
 * Adds the children of those in the set that are not in it and were made at that time or later (clock ticks since
 * boot), and theirs. Returns how many were added.
 */
unsigned targets_children(const char *proc, uint64_t since, const struct targets_set *set);

struct targets {
	struct target {
		uint32_t pid;
		int fd; /* pidfd; -1: polled in /proc */
		uint64_t
			started; /* clock ticks since boot: another process has this number later */
	} * list;
	unsigned n;   /* those that have not ended */
	bool watched; /* there was one */
};

/* Returns 0 or -errno, reported: one of them is not there. */
int targets_open(struct targets *targets, const uint32_t *pids, unsigned n);
/* Forgets those that ended; true when none is left of at least one. Never waits. */
bool targets_ended(struct targets *targets);
void targets_close(struct targets *targets);
