# SPDX-License-Identifier: GPL-2.0-or-later
"""column.py [--sum] COLUMN[,COLUMN]... [COLUMN=VALUE | =NAME]... <TABLE.csv

Cells of the rows that have these values, a row a line, blanks between; --sum: their sum, of each column, empty cells
being 0. =NAME: the row is of that name, by its second cell, or of that process. A column that the table has not is no
condition."""
import csv
import sys

words = sys.argv[1:]
add = words[0] == "--sum"
columns, conditions = words[add].split(","), [w.split("=", 1) for w in words[add + 1:]]


def wanted(row):
    return all(value in (list(row.values())[1], row.get("pid")) if name == "" else row.get(name, value) == value
               for name, value in conditions)


rows = [[row[c] for c in columns] for row in csv.DictReader(sys.stdin) if wanted(row)]
if add:
    rows = [[sum(int(cell or 0) for cell in cells) for cells in zip(*rows)] or [0] * len(columns)]
for row in rows:
    print(*row)
