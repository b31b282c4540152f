# SPDX-License-Identifier: GPL-2.0-or-later
"""summary_checks.py CHECK [ARGUMENT]...: what summary.sh asks of what was recorded and answered. Status 1: it is not so."""
import csv
import json
import os
import subprocess
import sys


def package_has_tables():
    m = json.load(open("trace/manifest.json"))
    files = [f["file"] for f in m["summary"]["files"]]
    assert files == ["summary/files.csv", "summary/file_histograms.csv", "summary/file_errors.csv"], files
    p = {r["name"]: r for r in json.load(open("trace/datapackage.json"))["resources"]}
    head = open("trace/summary/files.csv").readline().strip().split(",")
    assert [f["name"] for f in p["files"]["schema"]["fields"]] == head


def left_and_came_back():
    a = json.load(open("few/manifest.json"))["summary"]["account"]["files"]
    assert a["max_files"] == 20 and a["in_memory"] <= 21 and a["written_out"] > 1000 and a["read_back"] > 1000, a


def old_segments_go():
    m = json.load(open("bounded/manifest.json"))
    there = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk("bounded") for f in fs)
    fs = [s for s in m["streams"] if s["name"] == "fs"][0]
    assert fs["evicted_rows"] > 1000 and there < 1.2 * 2**20, (fs["evicted_rows"], there)
    assert os.path.getsize("bounded/summary/files.csv") > 20000


def rows_not_kept():
    m = json.load(open("bare/manifest.json"))
    kept = {s["stream"]: s["rows"] for s in m["not_kept"]}
    assert kept["fs"] > 2000, kept


def without_rows_as_json(iotracer):
    j = json.loads(subprocess.run([iotracer, "files", "bare", "--json", "--top", "0"], stdout=subprocess.PIPE).stdout)
    c = list(csv.DictReader(open("bare/summary/files.csv")))
    assert j["traces"][0]["rows_not_kept"] > 2000 and len(j["files"]) == len(c), (j["traces"], len(c))
    assert [str(f["write_bytes"]) for f in j["files"]] == [f["write_bytes"] for f in c]
    assert [f["filename"] for f in j["files"]] == [f["filename"] for f in c]


def whole_after_a_kill():
    rows = list(csv.DictReader(open("killed/summary/files.csv")))
    assert len(rows) > 10 and all(None not in r and None not in r.values() for r in rows)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
