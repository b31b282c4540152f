# SPDX-License-Identifier: GPL-2.0-or-later
"""open_files.py DIR [NAME COLUMN...]: of section open on standard input, files in DIR as "opens pid name"; or columns of one."""
import csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["filename"].startswith(sys.argv[1] + "/")]
for r in rows:
    name = r["filename"][len(sys.argv[1]) + 1:]
    if len(sys.argv) == 2:
        print(r["opens"], r["pid"], name)
    elif name == sys.argv[2]:
        print(*[r[c] or "-" for c in sys.argv[3:]])
