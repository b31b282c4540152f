/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of the compile helper, supervised: ended when it takes too long, when
 * this process gets a signal to stop, and when this process dies.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

enum run_end {
	RUN_EXITED,    /* status is the exit status */
	RUN_SIGNALLED, /* status is the signal */
	RUN_TIMEOUT,
	RUN_INTERRUPTED, /* SIGINT or SIGTERM is delivered after the return */
	RUN_NOT_STARTED, /* status is the errno */
};

struct helper_run {
	unsigned timeout_s;
	const char *
		notice; /* said when it takes longer than a moment; NULL: another one is waited for */
	bool said;      /* the notice */
	enum run_end end;
	int status;
	int image_fd; /* what the helper wrote, or -1 */
	char *output; /* what it said, NUL-terminated; NULL if it did not get so far */
};

/*
 * argv, ended by NULL, with room for six more. Returns 0 once the helper has
 * ended in whatever way, or -errno and reports when it could not come to that.
 */
int helper_run(struct helper_run *run, const char **argv, const char *text);
/* SIGINT and SIGTERM wait until the mask is set to what it was: around runs in several threads. */
void helper_hold_signals(sigset_t *before);

void helper_run_free(struct helper_run *run);
