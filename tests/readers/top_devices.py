# SPDX-License-Identifier: GPL-2.0-or-later
"""top_devices.py FIGURE DISK: a figure of top.csv is that of iostat (long.json: -x, short.json: -x -s), as far as its decimals
go. Each has an interval of its own, about four seconds and longer on a busy machine, with the same load in it: so what is
compared of a rate is rate times interval, and iostat's is that of 1009 reads."""
import csv, json, sys
what, disk = sys.argv[1:]
rows = [r for r in csv.DictReader(open("top.csv")) if r["name"] == disk]
assert len(rows) == 1, rows
top = {c: float(v) for c, v in rows[0].items() if c.endswith(("_s", "_sz", "percent", "_ns")) and v}
def iostat(name):
    disks = json.load(open(name))["sysstat"]["hosts"][0]["statistics"][-1]["disk"]
    return next(d for d in disks if d["disk_device"] == disk)
long, short = iostat("long.json"), iostat("short.json")
def same(a, b, decimal=0.011):
    assert abs(a - b) <= decimal, (a, b, top, long, short)
top_s, iostat_s = top["interval_ns"] / 1e9, 1009 / long["r/s"]
def same_in_all(a, b):
    same(a * top_s, b * iostat_s, decimal=0.011 * iostat_s + 0.0001 * b * iostat_s)
if what == "requests":
    # to the request; of the writes, which threads make at one place, some are merged
    assert round(top["r_per_s"] * top["interval_ns"] / 1e9) == 1009, top
    assert 401 <= round(top["w_per_s"] * top["interval_ns"] / 1e9) <= 1203, top
    same_in_all(top["r_per_s"], long["r/s"])
    same_in_all(top["w_per_s"], long["w/s"])
elif what == "kilobytes":
    assert round(top["rkb_per_s"] * top["interval_ns"] / 1e9) == 4 * 1009, top
    assert round(top["wkb_per_s"] * top["interval_ns"] / 1e9 / 64) == 1203, top
    same_in_all(top["rkb_per_s"], long["rkB/s"])
    same_in_all(top["wkb_per_s"], long["wkB/s"])
elif what == "queue":
    same_in_all(top["aqu_sz"], long["aqu-sz"])
    assert top["aqu_sz"] > 0
elif what == "await":
    same(top["await_ns"] / 1e6, short["await"])
    requests = long["r/s"] + long["w/s"]
    same(top["await_ns"] / 1e6, (long["r/s"] * long["r_await"] + long["w/s"] * long["w_await"]) / requests)
elif what == "util":
    same_in_all(top["util_percent"], long["util"])
    assert 0 < top["util_percent"] <= 100.5
else:
    assert rows[0]["name"] == disk
