/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections whose rows are items of the tally. */
#pragma once

#include "analysis/report/report_sections.h"

/* That the manifest has of a device; not known without. */
struct table_value report_device_name(struct report_answer *answer, const struct report *report,
				      uint64_t device);

/* Adds its sections. */
void report_add_items(struct report_answer *answer);
