/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two reports compared: what differs between them, the differences that matter first, each with
 * both values, their 95 % intervals and the change. What these intervals do not tell apart is noise.
 */
#pragma once

#include "analysis/report/report_compare.h"

/* The names of its sections, up to NULL. */
extern const char *const report_change_names[];

/*
 * From an answer that is zeroed except top: its report is NULL, its sections are tables as those
 * of a report. The two stay as long as it. Returns 0 or -ENOMEM; to be freed in any case.
 */
int report_changes_make(struct report_answer *changes, const struct report_answer *before,
			const struct report_answer *after);
