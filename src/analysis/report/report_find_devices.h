/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with devices, and with what programs wait for. */
#pragma once

#include "analysis/report/report_finding.h"

finding_check report_find_starved;
finding_check report_find_serial;
finding_check report_find_devices;
finding_check report_find_stalled;
finding_check report_find_throttled;
finding_check report_find_amplified;
finding_check report_find_swapping;
