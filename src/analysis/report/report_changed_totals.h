/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two traces in a dozen figures: run time, bytes, syncs, errors, findings. */
#pragma once

#include "analysis/report/report_compare.h"

/* The section, which comes before all others; empty. */
void report_begin_totals(struct report_answer *changes);
/* Fills it, when losses and changed findings are known. */
void report_add_totals(struct report_comparison *comparison);
