/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was wrong before, and what is wrong after. */
#pragma once

#include "analysis/report/report_sections.h"

/* Adds its section: new ones first, then those that are gone, then those that stay. */
void report_add_changed_findings(struct report_answer *changes, const struct report_answer *before,
				 const struct report_answer *after);
