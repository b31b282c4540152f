/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with the pages that files have in memory. */
#pragma once

#include "analysis/report/report_finding.h"

finding_check report_find_cold;
finding_check report_find_ahead;
