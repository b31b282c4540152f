/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections in words: the trace, what it lacks, what was found in it. */
#pragma once

#include "analysis/report/report_sections.h"

/* Each adds its sections. */
void report_add_trace(struct report_answer *answer);
void report_add_missing(struct report_answer *answer);
void report_add_words(struct report_answer *answer);
