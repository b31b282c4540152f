# SPDX-License-Identifier: GPL-2.0-or-later
"""files_checks.py CHECK [ARGUMENT]...: what files.sh asks of what was recorded and answered. Status 1: it is not so."""
import csv
import glob
import json
import os
import sys


def sums_of_directories(place, n):
    files, dirs = list(csv.DictReader(open("all.csv"))), list(csv.DictReader(open("dir.csv")))
    for d in dirs:
        # files of which no directory is known have a row of their own
        below = [f for f in files if (f["filename"].startswith(d["dir"].rstrip("/") + "/")
                 if d["dir"] else not f["filename"].startswith("/"))]
        for c in "opens", "closes", "reads", "read_bytes", "writes", "write_bytes", "write_requested", "syncs", "rewrites":
            assert sum(int(f[c] or 0) for f in below) == int(d[c] or 0), (d["dir"], c)
    assert len([f for f in files if "/many/" in f["filename"]]) == int(n)


def json_has_the_same():
    j = json.load(sys.stdin)
    rows = {r["filename"]: r for r in csv.DictReader(open("all.csv"))}
    assert len(rows) == len(j["files"])
    for f in j["files"]:
        for k, v in f.items():
            c = rows[f["filename"]][k]
            assert (c == "") == (v is None) and (v is None or str(v) == c or float(c) == v), (k, v, c)
    assert j["traces"][0]["tier"] and j["traces"][0]["lost"] == []


def what_was_traced(place):
    m = json.load(open("trace/manifest.json"))
    assert any("program.py" in word for word in m["command"]) and m["working_directory"] == place, m


def crowd(n):
    n, rows = int(n), list(csv.DictReader(sys.stdin))
    sizes = [i % 7 for i in range(n)]
    assert len(rows) == n, len(rows)
    assert all(int(r["write_bytes"]) == int(r["filename"].split("/")[-1]) % 7 for r in rows)
    assert sum(int(r["opens"]) for r in rows) == n + len(range(0, n, 3))
    assert sum(int(r["read_bytes"]) for r in rows) == sum(sizes[::3])


def two_namespaces():
    rows = list(csv.DictReader(sys.stdin))
    assert len(rows) == 2 and len({r["mntns"] for r in rows}) == 2 and len({r["filename"] for r in rows}) == 1, rows
    assert sorted(r["write_bytes"] for r in rows) == ["2", "3"], rows


def make_older():
    for name in glob.glob("older/fs/*.csv"):
        rows = list(csv.reader(open(name, newline="", encoding="latin-1")))
        at = rows[0].index("ofd")
        with open(name, "w", newline="", encoding="latin-1") as f:
            csv.writer(f, lineterminator="\n").writerows(r[:at] + r[at + 1:] for r in rows)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
