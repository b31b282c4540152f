/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way from a directory to what a report counts. */
#pragma once

#include "analysis/report/report.h"

/*
 * From a report that is zeroed except memory and compared. Reads dir, which stays the caller's.
 * Returns 0, -EINVAL (a time of the filter) or what a directory that cannot be read gives, all
 * reported. To be closed in any case; the zeroed one is closed.
 */
int report_open(struct report *report, const char *dir, const struct row_filter *filter);
void report_close(struct report *report);
