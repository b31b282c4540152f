/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections about layers: totals, over time, latencies. */
#pragma once

#include "analysis/report/report_sections.h"

/* Each adds its sections. */
void report_add_layers(struct report_answer *answer);
void report_add_over_time(struct report_answer *answer);
