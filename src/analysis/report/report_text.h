/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report in a terminal. */
#pragma once

#include "analysis/report/report_print.h"

/* At most two screens. */
int report_print_text(FILE *out, const struct report_answer *answer);
/* The first rows of a section, and the columns that people look at. */
int report_print_shown(FILE *out, const struct report_section *section, uint64_t rows);
