# SPDX-License-Identifier: GPL-2.0-or-later
"""strace_checks.py CHECK [ARGUMENT]...: what files-strace.sh asks of what was recorded and answered. Status 1: it is not so."""
import csv
import sys


def rows_below(table, columns, prefix):
    directories = {line.rstrip("\n")[2:] for line in open("sizes", encoding="latin-1") if line.startswith("d ")}
    rows = csv.DictReader(open(table, encoding="latin-1", newline=""))
    for line in sorted(",".join(row[c] for c in columns.split(","))
                       for row in rows if row["filename"].startswith(prefix)
                       and row["filename"] not in directories):
        print(line)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
