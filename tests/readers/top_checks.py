# SPDX-License-Identifier: GPL-2.0-or-later
"""top_checks.py CHECK [ARGUMENT]...: what top.sh asks of what was recorded and answered. Status 1: it is not so."""
import csv
import json
import re
import sys


def rates():
    # whole seconds of the program: behind that in which it began, and before the last one
    tables = open("tables").read().split("\n\n")
    rounds = tables[next(i for i, t in enumerate(tables) if "/data\n" in t) + 1:][:2]
    for r in rounds:
        cells = next(re.split(r"  +", l.strip()) for l in r.splitlines() if l.endswith("/data"))
        # a hundred times a second at most, on a machine with other things to do; and its OPEN, where the
        # program had not begun a second after the command
        assert 5 <= int(cells[3]) <= 101 and 0 <= int(cells[0]) - int(cells[3]) <= 1, cells
        cells = next(re.split(r"  +", l.strip()) for l in r.splitlines() if l.endswith("/absent"))
        assert 5 <= int(cells[5]) <= 203, cells


def as_fio(name_of):
    job = json.load(open("fio.json"))["jobs"][0]
    # as root fio writes to the file before it begins, too
    wanted = [job[k]["total_ios"] for k in ("read", "write")] + [job[k]["io_bytes"] for k in ("read", "write")]
    got, name = [0] * 4, "fio" if name_of == "rings" else ""
    for r in csv.DictReader(open(name_of + ".csv")):
        if name in r["name"]:
            got = [a + int(r[c]) for a, c in zip(got, ("reads", "writes", "read_bytes", "write_bytes"))]
    exact = name_of == "rings"
    sys.exit(0 if got == wanted or (not exact and all(g >= w for g, w in zip(got, wanted))) else "%r, fio says %r" % (got, wanted))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
