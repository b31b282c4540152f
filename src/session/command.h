/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: started, held before its first instruction, let go, awaited. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: none */
	int gate;  /* our end of the socket that it waits at; -1 when open */
	bool ended;
	int status; /* wait status */
};

/* What the command inherits of the tracer, as it was before the tracer changed it. */
struct child_signals {
	sigset_t mask;
	struct sigaction pipe, chld;
};
void child_keep_signals(struct child_signals *signals);

/* The limits that the tracer raised are restored, too. Returns 0 or -errno, reported. */
int child_start(struct child *child, char **command, const struct child_signals *signals);
void child_release(struct child *child);

/* Looks whether it ended, without waiting. */
bool child_ended(struct child *child);

/* Its exit status as a shell has it: 128 + signal when it was killed. */
int child_exit_status(const struct child *child);

/* Ends a command that was never released. */
void child_cancel(struct child *child);
