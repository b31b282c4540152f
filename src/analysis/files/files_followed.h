/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file a row is of, by the names that were followed, and the table of names. */
#pragma once

#include <stdio.h>

#include "analysis/common/row_filter.h"
#include "analysis/common/table.h"
#include "analysis/files/files_follow.h"
#include "analysis/files/files_used.h"

/* The last name of the file of a row takes the place of its own; the hash is for the caller. */
void files_follow_row(const struct files_follow *follow, struct files_row *row);
/* How many names the file had that is shown by this one. */
uint64_t files_follow_names(const struct files_follow *follow, uint32_t mntns, const char *shown,
			    size_t len);

/* A table of the names of all files that had several, whose last one passes; host NULL: without. */
int files_follow_print(const struct files_follow *const *follows, const char *const *hosts,
		       unsigned n, const struct row_filter *filter, enum table_format format,
		       FILE *out);
