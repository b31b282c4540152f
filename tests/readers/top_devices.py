# SPDX-License-Identifier: GPL-2.0-or-later
"""top_devices.py FIGURE DISK: a figure of top.csv is that of iostat (long.json: -x, short.json: -x -s), as far as its decimals
go. Both intervals are about four seconds: a rate may differ by a hundredth for that, a mean by nothing."""
import csv, json, sys
what, disk = sys.argv[1:]
rows = [r for r in csv.DictReader(open("top.csv")) if r["name"] == disk]
assert len(rows) == 1, rows
top = {c: float(v) for c, v in rows[0].items() if c.endswith(("_s", "_sz", "percent", "_ns")) and v}
def iostat(name):
    disks = json.load(open(name))["sysstat"]["hosts"][0]["statistics"][-1]["disk"]
    return next(d for d in disks if d["disk_device"] == disk)
long, short = iostat("long.json"), iostat("short.json")
def same(a, b, share=0.015, decimal=0.011):
    assert abs(a - b) <= decimal + share * b, (a, b, top, long, short)
if what == "requests":
    # to the request; of the writes, which threads make at one place, some are merged
    assert round(top["r_per_s"] * top["interval_ns"] / 1e9) == 1009, top
    assert 401 <= round(top["w_per_s"] * top["interval_ns"] / 1e9) <= 1203, top
    same(top["r_per_s"], long["r/s"])
    same(top["w_per_s"], long["w/s"])
elif what == "kilobytes":
    assert round(top["rkb_per_s"] * top["interval_ns"] / 1e9) == 4 * 1009, top
    assert round(top["wkb_per_s"] * top["interval_ns"] / 1e9 / 64) == 1203, top
    same(top["rkb_per_s"], long["rkB/s"])
    same(top["wkb_per_s"], long["wkB/s"])
elif what == "queue":
    same(top["aqu_sz"], long["aqu-sz"])
    assert top["aqu_sz"] > 0
elif what == "await":
    same(top["await_ns"] / 1e6, short["await"], share=0)
    requests = long["r/s"] + long["w/s"]
    same(top["await_ns"] / 1e6, (long["r/s"] * long["r_await"] + long["w/s"] * long["w_await"]) / requests)
elif what == "util":
    same(top["util_percent"], long["util"])
    assert 0 < top["util_percent"] <= 100.5
else:
    assert rows[0]["name"] == disk
