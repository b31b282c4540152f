# SPDX-License-Identifier: GPL-2.0-or-later
"""report_rows.py DIR IOTRACER: the rows of a directory, counted without the tracer, against the JSON of `report`."""
import csv, glob, json, subprocess, sys
dir, tracer = sys.argv[1], sys.argv[2]
report = json.loads(subprocess.run([tracer, "report", dir, "--json"], check=True, stdout=subprocess.PIPE).stdout)
bad = []

def same(what, got, wanted):
    if got != wanted:
        bad.append("%s is %r, not %r" % (what, got, wanted))

def rows(stream):
    for name in sorted(glob.glob("%s/%s/*.csv" % (dir, stream))):
        with open(name, newline="", errors="surrogateescape") as f:
            yield from csv.DictReader(f)

def near(what, got, values, share):
    values = sorted(values)
    exact = values[-(-len(values) * share // 1000) - 1]
    if not exact <= got <= exact + exact // 32:
        bad.append("%s is %d, exactly %d" % (what, got, exact))

layers = {r["layer"]: r for r in report["layers"]}
operations = {(r["layer"], r["operation"]): r for r in report["operations"]}
names = {"fs": "operation", "ds": "operation", "nw": "direction", "cache": "event_type", "pagefault": "fault_type",
         "nw_conn": "event_type", "nw_epoll": "event_type", "exec": "event_type"}
for stream, column in names.items():
    counts, latencies = {}, {}
    for row in rows(stream):
        counts[row[column]] = counts.get(row[column], 0) + 1
        if row.get("latency_ns") and stream != "exec":
            latencies.setdefault(row[column], []).append(int(row["latency_ns"]))
    same("rows of " + stream, layers.get(stream, {}).get("rows"), sum(counts.values()))
    same("spans of " + stream, sum(r["operations"] for r in report["time"] if r["layer"] == stream), sum(counts.values()))
    for name, n in counts.items():
        same("%s of %s" % (name, stream), operations[stream, name]["count"], n)
    for name, values in latencies.items():
        o = operations[stream, name]
        same("time of " + name, o["time_ns"], sum(values))
        same("longest " + name, o["max_ns"], max(values))
        for share in 500, 950, 990, 999:
            near("%d of %s %s" % (share, stream, name), o["p%s_ns" % str(share).rstrip("0") if share != 500 else "p50_ns"], values, share)
        same("heat map of %s %s" % (stream, name),
             sum(r["count"] for r in report["latencies"] if (r["layer"], r["operation"]) == (stream, name)), len(values))

sums = {"read": 0, "write": 0}
for row in rows("fs"):
    if row["operation"] in ("READ", "WRITE") and int(row["return_value"]) > 0:
        sums[row["operation"].lower()] += int(row["return_value"])
same("bytes read", layers["fs"]["read_bytes"], sums["read"])
same("bytes written", layers["fs"]["write_bytes"], sums["write"])
disk = {"read": 0, "write": 0}
for row in rows("ds"):
    if row["operation"] in disk:
        disk[row["operation"]] += int(row["size"])
same("bytes of devices", [sum(r[k + "_bytes"] for r in report["devices"]) for k in ("read", "write")], [disk["read"], disk["write"]])
same("amplification", [r["device_bytes"] for r in report["amplification"]], [disk["read"], disk["write"]])
sent = {}
for row in rows("nw"):
    end = lambda a, p: ("[%s]:%s" if ":" in a else "%s:%s") % (a, p)
    key = " ".join((row["protocol"], end(row["source_addr"], row["source_port"]), end(row["dest_addr"], row["dest_port"])))
    sent.setdefault(key, {"send": 0, "receive": 0})[row["direction"]] += int(row["size"])
same("connections", {r["connection"]: {"send": r["sent_bytes"], "receive": r["received_bytes"]} for r in report["connections"]}, sent)
pids = {}
for row in rows("fs"):
    pids[int(row["pid"])] = pids.get(int(row["pid"]), 0) + 1
same("calls of processes", {r["pid"]: r["calls"] for r in report["processes"] if r["calls"]}, pids)
owners = {}
for row in rows("ds"):
    # who caused it, or else who submitted it
    who = row["owner_command"] if row["owner_pid"] not in ("", "0") else row["command"]
    o = owners.setdefault((row["cause"] or None, who or None), [0, 0, 0])
    o[0] += 1
    for i, kind in enumerate(("read", "write")):
        o[1 + i] += int(row["size"]) if row["operation"] == kind else 0
same("owners", {(r["cause"], r["command"]): [r["requests"], r["read_bytes"], r["write_bytes"]] for r in report["owners"]}, owners)
same("owners and amplification", [sum(r[k + "_bytes"] for r in report["owners"]) for k in ("read", "write")], [disk["read"], disk["write"]])
same("latencies of devices", sum(r["count"] for r in report["latencies"] if r["device"]), sum(1 for r in rows("ds") if r["latency_ms"]))
for r in report["time"]:
    if r["layer"] == "cache" and r["hits"] + r["misses"]:
        same("hit share", abs(r["hit_share"] - r["hits"] / (r["hits"] + r["misses"])) < 1e-6, True)
files = json.loads(subprocess.run([tracer, "files", dir, "--json"], check=True, stdout=subprocess.PIPE).stdout)["files"]
same("files", [(r["filename"], r["read_bytes"], r["write_bytes"]) for r in report["files"]],
     [(r["filename"], r["read_bytes"], r["write_bytes"]) for r in files])
for stream in "fs", "ds", "nw", "cache":
    if not layers[stream]["rows"]:
        bad.append("there are no rows of %s" % stream)
if bad:
    print("\n".join(bad))
sys.exit(bool(bad))
