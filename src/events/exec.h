/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream exec: forks, execs and exits to rows. */
#pragma once

#include <stddef.h>

#include "row/format.h"
#include "row/records.h"

struct exec_row {
	const struct iot_task *rec;
	const char *event;
	u32 pid;
	u32 ppid;
	struct format_text path;
	struct format_text cmdline;
	struct format_text container;
	s64 ret; /* FORMAT_NO_VALUE */
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t exec_row(char *out, const struct exec_row *row);
