/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with the pages that files have in memory. */
#ifndef IOT_REPORT_FIND_MEMORY_H
#define IOT_REPORT_FIND_MEMORY_H

#include "analysis/report/report_finding.h"

finding_check report_find_cold;
finding_check report_find_ahead;

#endif
