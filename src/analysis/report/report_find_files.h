/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How files are used that could be used better. */
#pragma once

#include "analysis/files/files_answer.h"
#include "analysis/report/report_finding.h"

finding_check report_find_in_files;

/* A batch of files: those are noted that may be one. False without memory. */
bool report_note_files(struct report *report, const struct files_answer *files);
void report_free_files(struct report *report);
