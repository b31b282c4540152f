/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How programs call that could call less. */
#ifndef IOT_REPORT_FIND_PROCESSES_H
#define IOT_REPORT_FIND_PROCESSES_H

#include "analysis/report/report_finding.h"

finding_check report_find_errors;
finding_check report_find_small_calls;
finding_check report_find_syncs;
finding_check report_find_missing_paths;
finding_check report_find_leaks;

#endif
