-- SPDX-License-Identifier: GPL-2.0-or-later
-- How each file is used, as `iotracer files --csv` says it; host is the name of the directory.
-- Put the directories in place of DIR: fleet/*, or s3('https://...', CSVWithNames, ...) for a store.
WITH
told AS (
  SELECT *, splitByChar('/', _path)[-3] AS host,
    position(filename, ' -> /') AS arrow,
    operation IN ('RENAME', 'LINK', 'SYMLINK', 'COPY_FILE_RANGE') AND arrow > 0 AS two
  FROM file('DIR/fs/fs_*.csv*', CSVWithNames, '@TYPES@')
  WHERE operation NOT IN ('VMSPLICE', 'TEE', 'DIO_READ', 'DIO_WRITE')
),
-- a row for each file: COPY_FILE_RANGE has two, of the second the bytes alone are known
parts AS (
  SELECT host, ifNull(mntns, 0) AS ns, operation, flags, command, device, second,
    ifNull(pid, 0) AS process, mono_ns AS start, latency_ns AS latency,
    ifNull(return_value, 0) AS result, ifNull(size, 0) AS asked,
    if(second, NULL, inode) AS ino, if(second, NULL, offset) AS place,
    operation IN ('CHDIR', 'MKDIR', 'RMDIR', 'READDIR') AS names_directory,
    multiIf(second, substring(filename, arrow + 4), two, substring(filename, 1, arrow - 1),
      names_directory AND length(filename) > 1 AND endsWith(filename, '/'),
      substring(filename, 1, length(filename) - 1), filename) AS path,
    if(second OR ofd IS NULL, concat('pid ', toString(process), ' fd ', if(second, '-', ifNull(toString(fd), '-'))),
      toString(ofd)) AS opened,
    operation = 'OPEN' AND result >= 0 OR operation = 'CLOSE' AND ofd IS NULL AS begins,
    operation IN ('OPEN', 'READ', 'WRITE') AND startsWith(flags, 'O_WRONLY') AS for_writing
  FROM told
  ARRAY JOIN if(two AND operation = 'COPY_FILE_RANGE', [0, 1], [0]) AS second
),
turns AS (
  SELECT *, sum(toUInt64(begins)) OVER (
    PARTITION BY host, ns, path, opened ORDER BY start ROWS UNBOUNDED PRECEDING) AS turn
  FROM parts
),
kinds AS (
  SELECT *, max(for_writing) OVER (
      PARTITION BY host, ns, path, opened, turn ORDER BY start ROWS UNBOUNDED PRECEDING) AS writes_only,
    multiIf(operation IN ('READ', 'SENDFILE'), 'read', operation = 'WRITE', 'write',
      operation = 'COPY_FILE_RANGE', if(second, 'write', 'read'),
      operation = 'SPLICE', if(writes_only OR position(flags, 'TO_FILE') > 0, 'write', 'read'),
      operation IN ('FSYNC', 'FDATASYNC', 'SYNC_FILE_RANGE') OR
        operation = 'MSYNC' AND position(flags, 'MS_SYNC') > 0, 'sync',
      operation = 'LOCK' AND match(flags, '\\b(LOCK_SH|LOCK_EX|F_RDLCK|F_WRLCK)\\b') AND NOT match(flags, 'F_(OFD_)?GETLK'), 'lock',
      operation IN ('GETATTR', 'SETATTR', 'ACCESS', 'READLINK', 'STATFS', 'GETXATTR', 'SETXATTR', 'LISTXATTR', 'REMOVEXATTR'), 'metadata',
      operation = 'OPEN', 'open', operation = 'CLOSE', 'close', 'other') AS kind,
    result >= 0 AS good,
    kind IN ('read', 'write') AND good AS moves,
    NOT (kind IN ('other', 'metadata') AND good) AS counts,
    good AND (names_directory OR operation = 'OPEN' AND position(flags, 'O_DIRECTORY') > 0) OR
      result = -21 AND kind IN ('read', 'write', 'sync') AS is_directory,
    NOT is_directory AND (kind IN ('read', 'write', 'sync') OR good AND kind NOT IN ('other', 'metadata')) AS is_regular
  FROM turns
),
calls AS (
  SELECT *, lagInFrame(place + result) OVER (
      PARTITION BY host, ns, path, opened, turn, kind, good ORDER BY start ROWS UNBOUNDED PRECEDING) AS reached,
    lagInFrame(place) OVER (
      PARTITION BY host, ns, path, kind, good ORDER BY start ROWS UNBOUNDED PRECEDING) AS before,
    maxIf(start, kind = 'sync' AND good) OVER (PARTITION BY host, ns, path) AS last_sync,
    moves AND place IS NOT NULL AS located, located AND place = ifNull(reached, 0) AS follows
  FROM kinds
),
above AS (
  SELECT DISTINCT host, ns, arrayJoin(arrayMap(
    n -> arrayStringConcat(arraySlice(splitByChar('/', path), 1, n), '/'),
    range(2, length(splitByChar('/', path))))) AS directory
  FROM parts WHERE startsWith(path, '/')
)
SELECT * EXCEPT (names) FROM (
SELECT host, nullIf(ns, 0) AS mntns, path AS filename,
  argMaxIf(device, start, ino > 0) AS device, argMaxIf(ino, start, ino > 0) AS inode,
  countIf(kind = 'open' AND good) AS opens, countIf(kind = 'close' AND good) AS closes,
  countIf(kind = 'read') AS reads, countIf(kind = 'read' AND NOT good) AS read_errors,
  sumIf(asked, kind = 'read') AS read_requested, sumIf(result, kind = 'read' AND good) AS read_bytes,
  if(reads = 0, 0, sumOrNullIf(latency, kind = 'read')) AS read_ns, maxOrNullIf(latency, kind = 'read') AS read_max_ns,
  minOrNullIf(start, kind = 'read') AS first_read_ns, maxOrNullIf(start + latency, kind = 'read' AND good) AS last_read_ns,
  countIf(kind = 'write') AS writes, countIf(kind = 'write' AND NOT good) AS write_errors,
  sumIf(asked, kind = 'write') AS write_requested, sumIf(result, kind = 'write' AND good) AS write_bytes,
  if(writes = 0, 0, sumOrNullIf(latency, kind = 'write')) AS write_ns, maxOrNullIf(latency, kind = 'write') AS write_max_ns,
  minOrNullIf(start, kind = 'write') AS first_write_ns, maxOrNullIf(start + latency, kind = 'write' AND good) AS last_write_ns,
  if(countIf(kind = 'write' AND moves) > 0 AND countIf(kind = 'write' AND located) = 0, NULL, countIf(kind = 'write' AND moves AND place = before)) AS rewrites,
  countIf(kind = 'sync') AS syncs, countIf(kind = 'sync' AND NOT good) AS sync_errors,
  sumIf(result, kind = 'write' AND moves AND start < last_sync) AS synced_bytes,
  if(syncs = 0, 0, sumOrNullIf(latency, kind = 'sync')) AS sync_ns, maxOrNullIf(latency, kind = 'sync') AS sync_max_ns,
  maxOrNullIf(start + latency, kind = 'sync' AND good) AS last_sync_ns,
  countIf(kind = 'lock') AS locks,
  if(locks > 0 AND countIf(kind = 'lock' AND latency IS NOT NULL) = 0, NULL, countIf(kind = 'lock' AND latency >= 1000000)) AS lock_waits,
  if(locks = 0, 0, sumOrNullIf(latency, kind = 'lock')) AS lock_ns, maxOrNullIf(latency, kind = 'lock') AS lock_max_ns,
  countIf(kind = 'metadata') AS metadata,
  toDecimalString(floor(sumIf(result, kind = 'read' AND follows) / nullIf(sumIf(result, kind = 'read' AND located), 0) * 1000000 + 0.5) / 1000000, 6) AS read_sequential,
  toDecimalString(floor(sumIf(result, kind = 'write' AND follows) / nullIf(sumIf(result, kind = 'write' AND located), 0) * 1000000 + 0.5) / 1000000, 6) AS write_sequential,
  uniqExactIf(process, counts) AS pids,
  NULL AS mapped_read_bytes, NULL AS mapped_written_bytes, -- rows of pagefault, which may not be there
  minMapIf([command], [start], counts AND command != '') AS names,
  concat(arrayStringConcat(arraySlice(arraySort((name, first) -> first, names.1, names.2), 1, 4), ' '),
    if(length(names.1) > 4, ' …', '')) AS commands
FROM calls
WHERE path != '' AND (host, ns, path) NOT IN (SELECT host, ns, directory FROM above)
GROUP BY host, ns, path
HAVING max(is_regular) AND NOT max(is_directory)
)
ORDER BY host, read_bytes + write_bytes DESC, mntns, filename
SETTINGS input_format_csv_trim_whitespaces = 0, format_csv_null_representation = '', join_use_nulls = 1
