/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process beside this one that gives the terminal back when this one cannot: after SIGKILL, or
 * a crash. It holds nothing but the terminal and one end of a pipe.
 */
#pragma once

#include <sys/types.h>

/* The zeroed one guards nothing. */
struct screen_guard {
	pid_t pid;
	int fd;
};

/*
 * From the only thread, before the screen begins and before anything is opened that must not
 * stay open. Without it the screen works all the same, so nothing is returned.
 */
void screen_guard_begin(struct screen_guard *guard, int in, int out);
/* The terminal is as it was before. */
void screen_guard_end(struct screen_guard *guard);
