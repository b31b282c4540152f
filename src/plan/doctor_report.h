/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two forms of a report have in common: a table for people, JSON for fleets. */
#pragma once

#include "plan/planned.h"

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

struct doctor_notes;

struct doctor_report {
	const struct doctor_options *options;
	const struct host *host;
	struct plan *plan;
	void *test;
	struct doctor_notes *notes;
	bool can_trace;
};
