/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace and that of its replay: each figure of each file that fio repeated. */
#pragma once

#include "analysis/report/report_compare.h"

/* Sections replay and replayed_files; losses: of fs. */
void report_add_replayed(struct report_answer *answer, struct report *const reports[2],
			 const struct report_losses losses[2]);
