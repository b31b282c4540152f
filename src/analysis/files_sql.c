/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the rules of files_model.c once more, in SQL. What a row of a file depends on, the call
 * before it, is a window here: of the file, or of what is open under one number, which begins
 * anew with each successful OPEN.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/files_sql.h"

#include <errno.h>
#include <string.h>

#include "row/schema_sql.h"

/* clang-format off */
static const char head[] =
"-- How each file is used, as `iotracer files --csv` says it; host is the name of the directory.\n"
"-- Put the directories in place of DIR: fleet/*, or s3('https://...', CSVWithNames, ...) for a store.\n"
"WITH\n"
"told AS (\n"
"  SELECT *, splitByChar('/', _path)[-3] AS host,\n"
"    position(filename, ' -> /') AS arrow,\n"
"    operation IN ('RENAME', 'LINK', 'SYMLINK', 'COPY_FILE_RANGE') AND arrow > 0 AS two\n"
"  FROM file('DIR/fs/fs_*.csv*', CSVWithNames, '";

static const char rest[] =
"')\n"
"  WHERE operation NOT IN ('VMSPLICE', 'TEE', 'DIO_READ', 'DIO_WRITE')\n"
"),\n"
"-- a row for each file: COPY_FILE_RANGE has two, of the second the bytes alone are known\n"
"parts AS (\n"
"  SELECT host, ifNull(mntns, 0) AS ns, operation, flags, command, device, second,\n"
"    ifNull(pid, 0) AS process, mono_ns AS start, latency_ns AS latency,\n"
"    ifNull(return_value, 0) AS result, ifNull(size, 0) AS asked,\n"
"    if(second, NULL, inode) AS ino, if(second, NULL, offset) AS place,\n"
"    operation IN ('CHDIR', 'MKDIR', 'RMDIR', 'READDIR') AS names_directory,\n"
"    multiIf(second, substring(filename, arrow + 4), two, substring(filename, 1, arrow - 1),\n"
"      names_directory AND length(filename) > 1 AND endsWith(filename, '/'),\n"
"      substring(filename, 1, length(filename) - 1), filename) AS path,\n"
"    if(second OR ofd IS NULL, concat('pid ', toString(process), ' fd ', if(second, '-', ifNull(toString(fd), '-'))),\n"
"      toString(ofd)) AS opened,\n"
"    operation = 'OPEN' AND result >= 0 OR operation = 'CLOSE' AND ofd IS NULL AS begins,\n"
"    operation IN ('OPEN', 'READ', 'WRITE') AND startsWith(flags, 'O_WRONLY') AS for_writing\n"
"  FROM told\n"
"  ARRAY JOIN if(two AND operation = 'COPY_FILE_RANGE', [0, 1], [0]) AS second\n"
"),\n"
"turns AS (\n"
"  SELECT *, sum(toUInt64(begins)) OVER (\n"
"    PARTITION BY host, ns, path, opened ORDER BY start ROWS UNBOUNDED PRECEDING) AS turn\n"
"  FROM parts\n"
"),\n"
"kinds AS (\n"
"  SELECT *, max(for_writing) OVER (\n"
"      PARTITION BY host, ns, path, opened, turn ORDER BY start ROWS UNBOUNDED PRECEDING) AS writes_only,\n"
"    multiIf(operation IN ('READ', 'SENDFILE'), 'read', operation = 'WRITE', 'write',\n"
"      operation = 'COPY_FILE_RANGE', if(second, 'write', 'read'),\n"
"      operation = 'SPLICE', if(writes_only OR position(flags, 'TO_FILE') > 0, 'write', 'read'),\n"
"      operation IN ('FSYNC', 'FDATASYNC', 'SYNC_FILE_RANGE') OR\n"
"        operation = 'MSYNC' AND position(flags, 'MS_SYNC') > 0, 'sync',\n"
"      operation = 'OPEN', 'open', operation = 'CLOSE', 'close', 'other') AS kind,\n"
"    result >= 0 AS good,\n"
"    kind IN ('read', 'write') AND good AS moves,\n"
"    NOT (kind = 'other' AND good) AS counts,\n"
"    good AND (names_directory OR operation = 'OPEN' AND position(flags, 'O_DIRECTORY') > 0) OR\n"
"      result = -21 AND kind IN ('read', 'write', 'sync') AS is_directory,\n"
"    NOT is_directory AND (kind IN ('read', 'write', 'sync') OR good AND kind != 'other') AS is_regular\n"
"  FROM turns\n"
"),\n"
"calls AS (\n"
"  SELECT *, lagInFrame(place + result) OVER (\n"
"      PARTITION BY host, ns, path, opened, turn, kind, good ORDER BY start ROWS UNBOUNDED PRECEDING) AS reached,\n"
"    lagInFrame(place) OVER (\n"
"      PARTITION BY host, ns, path, kind, good ORDER BY start ROWS UNBOUNDED PRECEDING) AS before,\n"
"    maxIf(start, kind = 'sync' AND good) OVER (PARTITION BY host, ns, path) AS last_sync,\n"
"    moves AND place IS NOT NULL AS located, located AND place = ifNull(reached, 0) AS follows\n"
"  FROM kinds\n"
"),\n"
"above AS (\n"
"  SELECT DISTINCT host, ns, arrayJoin(arrayMap(\n"
"    n -> arrayStringConcat(arraySlice(splitByChar('/', path), 1, n), '/'),\n"
"    range(2, length(splitByChar('/', path))))) AS directory\n"
"  FROM parts WHERE startsWith(path, '/')\n"
")\n"
"SELECT * EXCEPT (names) FROM (\n"
"SELECT host, nullIf(ns, 0) AS mntns, path AS filename,\n"
"  argMaxIf(device, start, ino > 0) AS device, argMaxIf(ino, start, ino > 0) AS inode,\n"
"  countIf(kind = 'open' AND good) AS opens, countIf(kind = 'close' AND good) AS closes,\n";

/* Of reads and writes: %1$s is the kind, %2$s what comes between. */
static const char moved[] =
"  countIf(kind = '%1$s') AS %1$ss, countIf(kind = '%1$s' AND NOT good) AS %1$s_errors,\n"
"  sumIf(asked, kind = '%1$s') AS %1$s_requested, sumIf(result, kind = '%1$s' AND good) AS %1$s_bytes,\n"
"  if(%1$ss = 0, 0, sumOrNullIf(latency, kind = '%1$s')) AS %1$s_ns, maxOrNullIf(latency, kind = '%1$s') AS %1$s_max_ns,\n"
"  minOrNullIf(start, kind = '%1$s') AS first_%1$s_ns, maxOrNullIf(start + latency, kind = '%1$s' AND good) AS last_%1$s_ns,\n";

static const char tail[] =
"  if(%1$s, NULL, countIf(kind = 'write' AND moves AND place = before)) AS rewrites,\n"
"  countIf(kind = 'sync') AS syncs, countIf(kind = 'sync' AND NOT good) AS sync_errors,\n"
"  sumIf(result, kind = 'write' AND moves AND start < last_sync) AS synced_bytes,\n"
"  if(syncs = 0, 0, sumOrNullIf(latency, kind = 'sync')) AS sync_ns, maxOrNullIf(latency, kind = 'sync') AS sync_max_ns,\n"
"  maxOrNullIf(start + latency, kind = 'sync' AND good) AS last_sync_ns,\n"
"  %2$s AS read_sequential,\n"
"  %3$s AS write_sequential,\n"
"  uniqExactIf(process, counts) AS pids,\n"
"  minMapIf([command], [start], counts AND command != '') AS names,\n"
"  concat(arrayStringConcat(arraySlice(arraySort((name, first) -> first, names.1, names.2), 1, 4), ' '),\n"
"    if(length(names.1) > 4, ' …', '')) AS commands\n"
"FROM calls\n"
"WHERE path != '' AND (host, ns, path) NOT IN (SELECT host, ns, directory FROM above)\n"
"GROUP BY host, ns, path\n"
"HAVING max(is_regular) AND NOT max(is_directory)\n"
")\n"
"ORDER BY host, read_bytes + write_bytes DESC, mntns, filename\n"
"SETTINGS input_format_csv_trim_whitespaces = 0, format_csv_null_representation = '', join_use_nulls = 1\n";

/* No write could be placed, though there were some. */
#define NONE_PLACED "countIf(kind = 'write' AND moves) > 0 AND countIf(kind = 'write' AND located) = 0"
#define SHARE(kind) \
	"toDecimalString(floor(sumIf(result, kind = '" kind "' AND follows) / " \
	"nullIf(sumIf(result, kind = '" kind "' AND located), 0) * 1000000 + 0.5) / 1000000, 6)"
/* clang-format on */

int files_sql(FILE *out, const char *dialect)
{
	if (strcmp(dialect, "clickhouse"))
		return -EINVAL;
	fputs(head, out);
	schema_sql_types(out, dialect, STREAM_fs);
	fputs(rest, out);
	fprintf(out, moved, "read");
	fprintf(out, moved, "write");
	fprintf(out, tail, NONE_PLACED, SHARE("read"), SHARE("write"));
	return 0;
}
