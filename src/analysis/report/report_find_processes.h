/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How programs call that could call less. */
#pragma once

#include "analysis/report/report_finding.h"

finding_check report_find_errors;
finding_check report_find_in_programs;
finding_check report_find_leaks;
finding_check report_find_stats;
finding_check report_find_held;
