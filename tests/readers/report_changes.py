# SPDX-License-Identifier: GPL-2.0-or-later
"""report_changes.py BEFORE AFTER IOTRACER: what `report BEFORE AFTER` claims is borne out by the reports and the rows of both."""
import csv, glob, json, math, subprocess, sys
before, after, tracer = sys.argv[1:]
def report(*arguments):
    return json.loads(subprocess.run([tracer, "report", *arguments, "--json"], check=True, stdout=subprocess.PIPE).stdout)
changes, single, bad = report(before, after), [report(before), report(after)], []
claimed = [d for d in changes["differences"] if d["verdict"] in ("higher", "lower", "new", "gone")]
if changes["differences"][:len(claimed)] != claimed:
    bad.append("differences are not first")

# what is compared is what each of the reports says
for d in changes["differences"]:
    for r, side in zip(single, ("before", "after")):
        if d["kind"] == "operation" and (d["measure"].startswith("p") or d["measure"] == "count"):
            layer, name = d["name"].split(" ", 1)
            is_value = [o[d["measure"]] for o in r["operations"] if (o["layer"], o["operation"]) == (layer, name)] or [0]
            if is_value != [d[side]]:
                bad.append("%s of %s: %r, not %r" % (d["measure"], d["name"], d[side], is_value))
    wanted = (d["after"] - d["before"]) / d["before"] if d["before"] else None
    if d["measure"].startswith("p") and wanted is not None and abs(d["change"] - wanted) > 1e-6:
        bad.append("%r changes by %r" % (d, wanted))

# order statistics of the rows themselves: a claim holds for any latencies with these intervals
def interval(dir, operation, share):
    values = []
    for name in glob.glob(dir + "/fs/*.csv"):
        with open(name, newline="", errors="surrogateescape") as f:
            values += [int(r["latency_ns"]) for r in csv.DictReader(f) if r["operation"] == operation]
    values.sort()
    half = 1.96 * math.sqrt(len(values) * share * (1 - share))
    return values[max(0, math.floor(len(values) * share - half) - 1)], values[min(len(values) - 1, math.ceil(len(values) * share + half))]
for d in claimed:
    if d["kind"] == "operation" and d["name"].startswith("fs ") and d["measure"].startswith("p"):
        share = int(d["measure"][1:3]) / 100
        a, b = (interval(x, d["name"][3:], share) for x in (before, after))
        if a[0] <= b[1] and b[0] <= a[1]:
            bad.append("%r is noise: %r, %r" % (d, a, b))
print("\n".join(bad))
sys.exit(bool(bad))
