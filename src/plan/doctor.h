/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer doctor`: what can be traced on a host, through which probe, and why
 * not, for people and as JSON. Only shows what host and plan say; with
 * --collect it saves the host instead.
 */
#ifndef IOT_DOCTOR_H
#define IOT_DOCTOR_H

#include "plan/plan.h"

struct doctor_options {
	struct host_options host;
	const char *collect; /* save the host's facts to this file, and nothing else */
	bool json;
	/*
	 * The self-test, or NULL. start runs every operation once for the finished
	 * plan (and may change it); what it returns is passed to verdict, whose word
	 * is shown beside each choice ("fires", "silent", "not tried"), and to end.
	 */
	void *(*test_start)(struct plan *plan);
	const char *(*test_verdict)(void *test, const struct plan_choice *choice);
	void (*test_end)(void *test);
};

/* Prints on stdout. 0: something can be traced (or was saved), 1: nothing. */
int doctor_run(const struct doctor_options *options);

#endif
