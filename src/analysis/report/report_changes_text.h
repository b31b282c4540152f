/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two traces in a terminal: what differs for certain. */
#pragma once

#include "analysis/report/report_print.h"

/* Of two traces: what report_changes_make found. At most two screens. */
int report_print_changes(FILE *out, const struct report_answer *changes);
/* How many of the things compared differ, in a sentence. */
void report_print_verdicts(FILE *out, const struct report_answer *changes);
