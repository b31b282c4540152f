/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses for the programs of system calls what each call is, by its number. */
#pragma once

#include "plan/plan.h"

struct iot_call_row;
struct trace;

/* rows: IOT_CALL_ROWS, by a call's number on this machine, of the calls that the plan wants. */
void trace_call_rows(const struct plan *plan, struct iot_call_row *rows);

/*
 * Tells the programs of system calls what each call is, by its number. Returns 0 or -errno,
 * reported.
 */
int trace_fill_calls(struct trace *trace);
