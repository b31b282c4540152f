/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams as tables of data bases that read the segments. */
#ifndef IO_SCHEMA_SQL_H
#define IO_SCHEMA_SQL_H

#include <stdio.h>

#include "schema.h"

/* CREATE TABLE and what belongs to it. Returns 0, or -EINVAL for a dialect that there is not. */
int schema_sql(FILE *out, const char *dialect, enum stream_id stream);

#endif
