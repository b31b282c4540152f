# SPDX-License-Identifier: GPL-2.0-or-later
"""watch_checks.py CHECK [ARGUMENT]...: what watch.sh asks of what was recorded and answered. Status 1: it is not so."""
import json
import re
import sys


def lines_of_json():
    rows = [json.loads(l) for l in open("lines", encoding="utf-8")]
    keys = "time system event pid tid comm size offset latency_ns return_value error detail device path connection".split()
    assert all(list(r) == keys for r in rows)
    name = "/a\"b,\\n<script> \U0001f600 \\xff"
    w = [r for r in rows if r["event"] == "WRITE" and r["path"].endswith(name)]
    assert [r["offset"] for r in w] == [100 * i for i in range(211)], len(w)
    assert all(r["size"] == r["return_value"] == 100 and r["latency_ns"] > 0 and r["error"] is None for r in w)
    e = [r for r in rows if r["error"] == "ENOENT" and r["path"].endswith("/absent")]
    assert len(e) == 101 and all(r["return_value"] == -2 for r in e)


def dropped_are_counted(n):
    rows = [json.loads(l) for l in open("slow")]
    shown = sum(r.get("event") in ("READ", "OPEN", "CLOSE") for r in rows)
    lost = sum(r.get("count", 0) for r in rows if r.get("system") == "lost")
    dropped = sum(r.get("dropped", 0) for r in rows)
    said = int(re.search(r"(\d+) of \d+ operations dropped", open("said").read()).group(1))
    print(shown, lost, dropped, said)
    assert dropped == said and dropped > 0 and shown > 1000
    # losses that were dropped as rows are in the closing lines
    kernel = sum(map(int, re.findall(r"lost +(\d+) of fs", open("said").read())))
    assert shown + dropped + max(lost, kernel) >= int(n) + 2
    assert shown + dropped <= int(n) + 2 + 100


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
