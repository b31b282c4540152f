/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section with the numbers of `iotracer why`, where the scheduler was recorded. */
#pragma once

#include "analysis/report/report_sections.h"

/* Adds its sections: empty ones, where there are no rows of sched. */
void report_add_why(struct report_answer *answer);
