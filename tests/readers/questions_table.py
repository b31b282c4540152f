# SPDX-License-Identifier: GPL-2.0-or-later
"""questions_table.py <TABLE.csv: of each question its name, what records it, what answers it, and the first line of what
is shown, with \\x1f between."""
import csv
import sys

for row in csv.DictReader(sys.stdin):
    print(row["name"], row["record"], row["answer"], row["shown"].split("\n")[0], sep="\x1f")
