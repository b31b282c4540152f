/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the query's way out: files.clickhouse.sql has the rules of files_model.c once more, in SQL.
 * What a row of a file depends on, the call before it, is a window there: of the file, or of what
 * is open under one number, which begins anew with each successful OPEN.
 */
#include "analysis/files/files_sql.h"

#include <errno.h>
#include <string.h>

#include "analysis/files/files_sql_text.h"
#include "row/schema_sql.h"

int files_sql(FILE *out, const char *dialect)
{
	static const char types[] = "@TYPES@";
	const char *at = strstr(files_sql_text, types);

	if (strcmp(dialect, "clickhouse"))
		return -EINVAL;
	fwrite(files_sql_text, 1, (size_t)(at - files_sql_text), out);
	schema_sql_types(out, dialect, STREAM_fs);
	fputs(at + strlen(types), out);
	return 0;
}
