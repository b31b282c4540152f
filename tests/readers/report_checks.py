# SPDX-License-Identifier: GPL-2.0-or-later
"""report_checks.py CHECK [ARGUMENT]...: what report-page.sh and report.sh ask of what was recorded and answered. Status 1: it is not so."""
import csv
import json
import re
import subprocess
import sys


def texts():
    r = json.load(sys.stdin)
    # names are cut at their beginning
    print(json.dumps([a["text"][-60:].replace("\n", " ") for a in r["answers"]] + [m["text"] for m in r["missing"] if m["text"]] +
                     [o["operation"] for o in r["operations"]] + [f["filename"][-60:] for f in r["files"]]))


def figures(heading, *words):
    page = open("page.html").read()
    part = re.search(r'<section aria-labelledby="t1-%s">(.*?)</section>' % heading, page, re.S)
    captions = re.findall(r"<figcaption>(.*?)</figcaption>(?:<div class=y>.*?</div>)?<svg", part.group(1), re.S) if part else None
    lost = [w for w in words if not captions or not any(w in c for c in captions)]
    print(captions)
    sys.exit(bool(lost or not part))


def scales():
    """Each histogram has its highest count at its side, half of it, and 0."""
    page = open("page.html").read()
    part = re.search(r'<section aria-labelledby="t1-sizes">(.*?)</section>', page, re.S).group(1)
    charts = re.findall(r"<figure class=s>.*?<div class=y><span>(.*?)</span><span>(.*?)</span><span>(.*?)</span></div><svg(.*?)</svg>", part, re.S)
    assert len(charts) == part.count("<figure") >= 5, (len(charts), part.count("<figure"))
    for top, middle, bottom, chart in charts:
        most = max(int(n) for n in re.findall(r": (\d+)</title>", chart))
        assert (top, bottom) == (str(most), "0") and middle == (str(most // 2) if most % 2 == 0 or most >= 100 else ""), (top, middle, bottom, most)
        # the bar of that count is as high as the scale
        assert 'y=0.0 width=.9 height=100.0' in chart and "class=grid" in chart, chart


def machine_as_snapshot(iotracer):
    out = subprocess.run([iotracer, "report", "seen", "--json", "--section", "machine"], check=True, stdout=subprocess.PIPE)
    spec = lambda name: json.load(open("seen/system_spec/%s.json" % name))
    machine = {}
    for r in json.loads(out.stdout)["machine"]:
        machine.setdefault(r["name"], []).append(r["value"])
    disks = [d["name"] for d in spec("disk_info")["block_devices"][:16] if d["size_bytes"]]
    assert machine["processors"][0].split(":")[0] == spec("cpu_info")["brand"], machine
    assert [d.split(" ")[0] for d in machine.get("disk", [])] == disks, machine
    assert spec("os_info")["release"] in machine["system"][0], machine
    assert "memory" in machine, machine


def one_csv():
    rows = list(csv.DictReader(open("out", newline="")))
    sys.exit(not ({"trace", "missing", "files", "time"} <= {r["section"] for r in rows}))


def section_as_json(section):
    text = lambda v: "" if v is None else "%.6f" % v if isinstance(v, float) else str(v)
    rows = list(csv.DictReader(open("out", newline="")))
    wanted = [{k: text(v) for k, v in r.items()} for r in json.load(sys.stdin)[section]]
    sys.exit(rows != wanted or not rows)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
