/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file of one trace is which of the other, and how much more or less was moved through it. */
#pragma once

#include "analysis/report/report_sections.h"

/* The one before and the one after; sure: no rows of fs were lost in either of them. */
void report_add_changed_files(struct report_answer *changes, struct report *const reports[2],
			      bool sure);
