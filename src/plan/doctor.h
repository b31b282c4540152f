/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer doctor`: what can be traced on a host, through which probe, and why
 * not, for people and as JSON. Only shows what host and plan say; with
 * --collect it saves the host instead.
 */
#pragma once

#include "plan/doctor_report.h"

/* Prints on stdout. 0: something can be traced (or was saved), 1: nothing. */
int doctor_run(const struct doctor_options *options);
