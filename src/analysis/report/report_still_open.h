/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section of what is open at the end of a trace. */
#pragma once

#include "analysis/report/report_sections.h"

void report_add_still_open(struct report_answer *answer);
