#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# findings_checks.py json <JSON of a report: its findings are sorted, and whole
# findings_checks.py commands IOTRACER DIR: the command of each finding runs and answers
import csv
import io
import json
import shlex
import subprocess
import sys


def check_json():
    report = json.load(sys.stdin)
    rows = report["findings"]
    order = {"high": 0, "medium": 1, "low": 2}
    keys = [(order[r["severity"]], -r["share"]) for r in rows]
    assert rows and keys == sorted(keys), keys
    for r in rows:
        assert all(r[k] for k in ("id", "text", "evidence", "command", "subject")), r
        assert 0 <= r["share"] <= 1, r


def check_commands(iotracer, trace):
    out = subprocess.run([iotracer, "report", trace, "-q", "-n", "0", "--section", "findings", "--csv"], capture_output=True,
                         text=True, check=True).stdout
    done, kinds = set(), set()
    for r in csv.DictReader(io.StringIO(out)):
        words = shlex.split(r["command"])
        kinds.add(r["id"])
        assert words[0] == "iotracer", r
        if tuple(words) in done:
            continue
        done.add(tuple(words))
        ran = subprocess.run([iotracer] + words[1:], capture_output=True, text=True)
        assert ran.returncode == 0 and ran.stdout.count("\n") > 1, (r["command"], ran.returncode, ran.stderr)
    # a slow machine has fewer of the planted faults; each kind that it has leads to a command, which two of them share
    assert len(done) >= min(9, len(kinds) - 1) > 3, (kinds, done)


if sys.argv[1] == "json":
    check_json()
else:
    check_commands(*sys.argv[2:])
