/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_sockopt: socket options to rows. */
#pragma once

#include <stddef.h>

#include "row/records.h"

struct nw_sockopt_row {
	const struct iot_opt *rec;
	u64 start;
	const char *event;
	const char *level;
	const char *name;
	s64 value; /* FORMAT_NO_VALUE */
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t nw_sockopt_row(char *out, const struct nw_sockopt_row *row);
