/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report as sections: the list of those that add them, in the order in which they are shown. */
#pragma once

#include "analysis/report/report_sections.h"

/* From an answer that is zeroed except report and top. Returns 0 or -ENOMEM; to be freed in any case. */
int report_answer_make(struct report_answer *answer);
void report_answer_free(struct report_answer *answer);

/* The names, up to NULL. */
extern const char *const report_section_names[];
