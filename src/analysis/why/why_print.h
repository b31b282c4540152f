/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `iotracer why` shows: parts as shares and as a bar for people, in nanoseconds for programs. */
#pragma once

#include <stdio.h>

#include "analysis/common/table.h"
#include "analysis/why/why.h"

/* Of sorted ones, the first (0: all). Returns 0 or -ENOMEM, and so below. */
int why_print_text(FILE *out, const struct why *why, uint64_t top);
/* TABLE_CSV, or the list of a JSON document: of the sums, or of the slowest. */
int why_print_exact(FILE *out, const struct why *why, uint64_t top, bool fleet,
		    enum table_format format);
int why_print_slowest(FILE *out, const struct why *why, bool fleet, enum table_format format);
