/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file under all of its names: followed through renames, and through replacement by a new file that gets its
 * name. Made of the rows of RENAME, UNLINK and creating OPEN, which are read before all rows.
 */
#pragma once

#include <stdio.h>

#include "analysis/common/row_filter.h"
#include "analysis/common/table.h"
#include "analysis/files/files_used.h"
#include "read/read_session.h"

struct files_follow;

/* Returns 0 or -errno (reported); to be closed in any case. */
int files_follow_open(struct files_follow **follow, const struct read_session *session);
void files_follow_close(struct files_follow *follow);

/* The last name of the file of a row takes the place of its own; the hash is for the caller. */
void files_follow_row(const struct files_follow *follow, struct files_row *row);
/* How many names the file had that is shown by this one. */
uint64_t files_follow_names(const struct files_follow *follow, uint32_t mntns, const char *shown,
			    size_t len);

/* A table of the names of all files that had several, whose last one passes; host NULL: without. */
int files_follow_print(const struct files_follow *const *follows, const char *const *hosts,
		       unsigned n, const struct row_filter *filter, enum table_format format,
		       FILE *out);
