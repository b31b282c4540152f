/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong, in words, with evidence: the section findings. Each is a row of findings.def, and one of the
 * checks looks for it in what the report knows.
 */
#pragma once

#include "analysis/report/report_finding.h"

/* The section, which is the first, and its rows, which come from all the others. */
void report_begin_findings(struct report_answer *answer);
void report_add_findings(struct report_answer *answer);
/* The highest severity in an answer; -1: nothing is wrong. */
int report_worst(const struct report_answer *answer);
