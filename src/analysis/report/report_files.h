/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections with the numbers of `iotracer files`. */
#pragma once

#include "analysis/report/report_sections.h"

/* Adds its sections. */
void report_add_files(struct report_answer *answer);
