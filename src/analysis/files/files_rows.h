/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row of fs as the files that it names. */
#pragma once

#include "analysis/common/rows_seen.h"
#include "analysis/files/files_model.h"

/*
 * The columns of fs that the model is made of, and the rows of files that a row of
 * them is (the second one of a copy inside the kernel): returns how many, 0 to 2.
 */
enum { FILES_MAX_ROWS = 2 };
unsigned files_columns(struct read_column columns[LAYOUT_MAX_COLUMNS]);
extern const struct column_meaning files_column_meanings[];
unsigned files_rows(const struct field *fields, struct files_row rows[FILES_MAX_ROWS]);
