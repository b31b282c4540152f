# SPDX-License-Identifier: GPL-2.0-or-later
"""effects_checks.py CHECK [ARGUMENT]...: what effects.sh asks of what was recorded and answered. Status 1: it is not so."""
import csv
import sys


def sum_of(value, column):
    rows = [r for r in csv.DictReader(sys.stdin) if value in r.values()]
    print(sum(int(r[column] or 0) for r in rows))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
