/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two forms of a report have in common: a table for people, JSON for fleets. */
#ifndef IOT_DOCTOR_PRIVATE_H
#define IOT_DOCTOR_PRIVATE_H

#include "plan/doctor.h"

struct doctor_notes;

struct doctor_report {
	const struct doctor_options *options;
	const struct host *host;
	struct plan *plan;
	void *test;
	struct doctor_notes *notes;
	bool can_trace;
};

const char *doctor_lockdown(enum lockdown lockdown);
/* The tiers that this host can serve, best first; room for 3. */
unsigned doctor_tiers(const struct host *host, const char **names);
/* NULL: not tested */
const char *doctor_verdict(const struct doctor_report *report, const struct plan_choice *choice);
/* A path of a saved host as on that host: where it lies here means nothing. */
const char *doctor_path(const struct host *host, const char *path);

/* On stdout; not 0 when it cannot be written. */
int doctor_print_json(const struct doctor_report *report);

#endif
