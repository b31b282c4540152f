# SPDX-License-Identifier: GPL-2.0-or-later
"""Of `why --csv` on standard input: whether the parts of each row are its latency. Status 1: there is none, or one is not."""
import csv
import sys

rows = list(csv.DictReader(sys.stdin))
wrong = [
    row
    for row in rows
    if sum(int(value) for name, value in row.items() if name.endswith("_ns") and name != "latency_ns")
    != int(row["latency_ns"])
]
for row in wrong:
    print(row)
sys.exit(1 if wrong or not rows else 0)
