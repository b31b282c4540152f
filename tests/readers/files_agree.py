#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""files_agree.py OURS THEIRS: two tables of files as CSV, the same but for the order of rows.

Prints the cells that differ, at most ten; the exit status is 1 then, or when a table is empty.
"""
import csv
import sys


def table(name):
    with open(name, newline='', encoding='utf-8', errors='surrogateescape') as file:
        rows = list(csv.DictReader(file))
    return {(row['host'], row['mntns'], row['filename']): row for row in rows}


def main(ours, theirs):
    ours, theirs = table(ours), table(theirs)
    wrong = [f'{key}: in one table only' for key in ours.keys() ^ theirs.keys()]
    for key in ours.keys() & theirs.keys():
        mine, other = ours[key], theirs[key]
        if mine.keys() != other.keys():
            wrong.append(f'columns: {mine.keys() ^ other.keys()}')
            break
        wrong += [f'{key}: {column} is {mine[column]!r} and {other[column]!r}'
                  for column in mine if mine[column] != other[column]]
    print(f'{len(ours)} files, {len(wrong)} differences')
    print('\n'.join(wrong[:10]))
    return 1 if wrong or not ours else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
