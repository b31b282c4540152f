/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a process uses files: the counts of an item of REPORT_PROCESS that findings are made of. */
#pragma once

#include "analysis/report/report_fields.h"
#include "analysis/report/report_tally.h"
#include "row/parse.h"

/* Bytes: what moves less is a small call. */
enum { REPORT_SMALL = 4096 };

/* A row of fs of the process. effects: of enum effect */
void report_habits_row(struct report_tally *tally, struct report_item *process,
		       const struct field *fields, unsigned effects);
