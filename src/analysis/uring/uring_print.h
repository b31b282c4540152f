/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of `iotracer uring`. */
#pragma once

#include "analysis/uring/uring.h"

/* Whether its table has the column. */
bool uring_sorts_by(enum uring_by by, const char *column);
/* A text of it is kept in the uring's pool; without memory it is NULL, and sets no_memory. */
struct uring_key uring_key_of(struct uring *uring, const struct uring_group *group,
			      const char *column);

/* The first whole groups (0: all). Returns 0 or -ENOMEM, as below. */
int uring_print_text(FILE *out, const struct uring *uring, uint64_t top);
/* TABLE_CSV, or the list of a JSON document. */
int uring_print_exact(FILE *out, const struct uring *uring, uint64_t top, bool fleet,
		      enum table_format format);
