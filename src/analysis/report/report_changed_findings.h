/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was wrong before, and what is wrong after. */
#ifndef IOT_REPORT_CHANGED_FINDINGS_H
#define IOT_REPORT_CHANGED_FINDINGS_H

#include "analysis/report/report_sections.h"

/* Adds its section: new ones first, then those that are gone, then those that stay. */
void report_add_changed_findings(struct report_answer *changes, const struct report_answer *before,
				 const struct report_answer *after);

#endif
