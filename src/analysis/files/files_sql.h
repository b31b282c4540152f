/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of `iotracer files` as a query, for engines that spread it over many machines. */
#pragma once

#include <stdio.h>

/*
 * Writes the query; dialect is one of schema_sql's. DIR in it stands for the directories, as a
 * path or a pattern. Returns 0, or -EINVAL: the dialect has none.
 */
int files_sql(FILE *out, const char *dialect);
