# SPDX-License-Identifier: GPL-2.0-or-later
"""strace_checks.py CHECK [ARGUMENT]...: what files-strace.sh asks of what was recorded and answered. Status 1: it is not so."""
import csv
import sys


def rows_below(table, columns, prefix):
    undecided = {row[0] for row in csv.reader(open("undecided", encoding="latin-1", newline=""))}
    directories = {line.rstrip("\n")[2:] for line in open("sizes", encoding="latin-1") if line.startswith("d ")}
    rows = []
    for row in csv.DictReader(open(table, encoding="latin-1", newline="")):
        path = row["filename"]
        if not path.startswith(prefix) or path in directories:
            continue
        if path in undecided:
            if row.get("metric") == "sync_gap":
                continue
            row.update(rewrites="?", synced_bytes="?")
        rows.append(",".join(row[c] for c in columns.split(",")))
    print("\n".join(sorted(rows)))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
