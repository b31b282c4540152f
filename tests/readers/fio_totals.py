# SPDX-License-Identifier: GPL-2.0-or-later
"""fio_totals.py ENGINE DIR: sums and sizes of `files`, which are in ENGINE.csv and ENGINE.histograms, are those of fio's ENGINE.json."""
import csv, json, sys
engine, where = sys.argv[1:]
text = open(engine + ".json").read()
jobs = {job["jobname"].split("_")[-1]: job for job in json.loads(text[text.index("{"):])["jobs"]}
files = {row["filename"]: row for row in csv.DictReader(open(engine + ".csv"))}
buckets = list(csv.DictReader(open(engine + ".histograms")))
wrong = []
for name, kind, job in ("old", "read", "reader"), ("new", "write", "writer"):
    row, told = files[where + "/" + name], jobs[job][kind]
    for ours, fio in (kind + "s", "total_ios"), (kind + "_bytes", "io_bytes"), (kind + "_requested", "io_bytes"):
        if int(row[ours]) != told[fio]:
            wrong.append("%s of %s: %s, fio says %d" % (ours, name, row[ours], told[fio]))
    mine = [b for b in buckets if b["filename"] == where + "/" + name and b["metric"] == kind + "_request"]
    if {int(b["from"]) for b in mine} != {512, 4096, 16384}:
        wrong.append("sizes of %s: %s" % (name, sorted(int(b["from"]) for b in mine)))
    if any(int(b["sum"]) != int(b["from"]) * int(b["count"]) for b in mine):
        wrong.append("requests of %s have other sizes" % name)
    if sum(int(b["count"]) for b in mine) != told["total_ios"]:
        wrong.append("requests of %s by size: %d" % (name, sum(int(b["count"]) for b in mine)))
    calls = {b["call"] for b in mine}
    print("%s: %s %ss of %s bytes by %s" % (name, row[kind + "s"], kind, row[kind + "_bytes"], ", ".join(sorted(calls))))
print("\n".join(wrong))
sys.exit(bool(wrong))
