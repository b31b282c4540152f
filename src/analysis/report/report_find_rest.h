/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring, the network, and the trace itself. */
#pragma once

#include "analysis/report/report_finding.h"

finding_check report_find_punted;
finding_check report_find_submitters;
finding_check report_find_overflowed;
finding_check report_find_faults;
finding_check report_find_idle_polls;
finding_check report_find_retransmits;
finding_check report_find_tiny_sends;
finding_check report_find_refused;
finding_check report_find_lost;
