/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section with the slowest operations, one by one. */
#pragma once

#include "analysis/report/report_sections.h"

/* Adds its section. */
void report_add_slowest(struct report_answer *answer);
