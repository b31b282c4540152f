/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams as tables of data bases that read the segments. */
#pragma once

#include <stdio.h>

#include "row/schema.h"

/* CREATE TABLE and what belongs to it. Returns 0, or -EINVAL for a dialect that there is not. */
int schema_sql(FILE *out, const char *dialect, enum stream_id stream);

/*
 * "timestamp Nullable(...), pid ...": the columns in a line; nothing for a dialect that there is
 * not.
 */
void schema_sql_types(FILE *out, const char *dialect, enum stream_id stream);
