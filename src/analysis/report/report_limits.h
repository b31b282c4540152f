/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers that decide whether something is a finding, and the file that changes them. */
#pragma once

#include <stdio.h>

#include "analysis/report/findings.def"

#define LIMIT_NUMBER(number, name, value, unit) LIMIT_##number,
enum report_limit { REPORT_LIMITS(LIMIT_NUMBER) N_REPORT_LIMITS };
#undef LIMIT_NUMBER

struct report_limit_row {
	const char *name;
	double value; /* unless a file says otherwise */
	const char *unit;
};
extern const struct report_limit_row report_limit_rows[N_REPORT_LIMITS];

struct report_limits {
	double values[N_REPORT_LIMITS];
};

/* The defaults. */
void report_limits_begin(struct report_limits *limits);
/* "name value" a line, # begins a comment. Returns 0 or, reported, -errno. */
int report_limits_parse(struct report_limits *limits, FILE *in, const char *name);
int report_limits_read_file(struct report_limits *limits, const char *file);
/*
 * The defaults, changed by the installed file, and by ~/.config/iotracer/findings.conf or file instead of it.
 * Returns 0 or, reported, -errno.
 */
int report_limits_read(struct report_limits *limits, const char *file);
