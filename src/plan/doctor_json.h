/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of doctor as JSON, and the words that it shares with the table. */
#pragma once

#include "plan/doctor_report.h"

const char *doctor_lockdown(enum lockdown lockdown);
/* The tiers that this host can serve, best first; room for 3. */
unsigned doctor_tiers(const struct host *host, const char **names);
/* NULL: not tested */
const char *doctor_verdict(const struct doctor_report *report, const struct plan_choice *choice);
/* A path of a saved host as on that host: where it lies here means nothing. */
const char *doctor_path(const struct host *host, const char *path);

/* On stdout; not 0 when it cannot be written. */
int doctor_print_json(const struct doctor_report *report);
