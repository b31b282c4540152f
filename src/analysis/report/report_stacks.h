/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in programs the time of operations went: each distinct stack is an item of the tally. */
#pragma once

#include <stdio.h>

#include "analysis/report/report_fields.h"
#include "analysis/report/report_sections.h"
#include "analysis/report/report_take.h"

/* So many of a tally; more are added up as one. */
enum { REPORT_MOST_STACKS = 32768 };

/* The parts of an item's name, in their order. */
enum report_stack_part { STACK_COMMAND, STACK_STATE, STACK_USER, STACK_MODULES, STACK_KERNEL };

void report_take_stacks(struct report_tally *tally, const struct report_source *source,
			const struct field *fields, uint64_t *over);

/* The section, and, of frames that are missing, what it says among what the trace lacks. */
void report_add_stacks(struct report_answer *answer);

/* "COMMAND;FRAME;FRAME NANOSECONDS", a line for each stack. */
void report_print_folded(FILE *out, const struct report_answer *answer);
