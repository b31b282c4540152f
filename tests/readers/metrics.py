# SPDX-License-Identifier: GPL-2.0-or-later
# FILE SECTION: whether a file of --metrics says what `report --section operations|counted --csv` says; three lines, that begin with ok.
import csv, re, sys
file, section = sys.argv[1:]
series, sums, heads = {}, {}, {}
for line in open(file):
    if line.startswith("#"):
        word = line.split()
        heads.setdefault(word[2], []).append(word[1])
        continue
    name, labels, value = re.fullmatch(r'(\w+)(?:\{(.*)\})? (\S+)\n', line).groups()
    assert (name, labels) not in series, line
    series[name, labels] = float(value)
    labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))
    if "operation" in labels:
        key = name[len("iotracer_"):], labels["layer"], labels["operation"], labels.get("le")
        sums[key] = sums.get(key, 0) + float(value)
print("ok %d series" % len(series) if 20 < len(series) <= 2000 else "WRONG %d series" % len(series))
print("ok heads" if all(v == ["HELP", "TYPE"] for v in heads.values()) else "WRONG heads %s" % heads)
wrong, n = [], 0
def same(what, told, counted):
    global n
    n += 1
    if abs(told - counted) > 1e-6:
        wrong.append("%s: report %s, metrics %s" % (what, told, counted))
seen = set()
for r in csv.DictReader(open(section)):
    if "layer" in r:
        layer, operation = r["layer"], r["operation"]
        moved = [r[k] for k in ("read_bytes", "write_bytes") if r[k]]
        # a copy reads and writes the same bytes
        moved = max(map(int, moved)) if moved else None
        ns = int(r["time_ns"] or 0)
    else:
        layer, operation = r["operation"].split(" ")
        moved, ns = int(r["bytes"]), None
    key = layer, operation, None
    if layer not in ("SYSCALL", "VFS", "BLOCK"):
        same("count of %s %s" % key[:2], int(r["count"]), sums[("operations_total",) + key])
    else: # of several classes
        for metric, column in ("operations", "count"), ("errors", "errors"), ("bytes", "bytes"):
            k = (metric + "_total",) + key
            sums[k] = sums[k] - int(r[column])
            n += 1
            seen.add(k)
        continue
    if r["errors"]:
        same("errors of %s %s" % key[:2], int(r["errors"]), sums[("errors_total",) + key])
    if moved is not None:
        same("bytes of %s %s" % key[:2], moved, sums[("bytes_total",) + key])
    if ns:
        same("time of %s %s" % key[:2], ns / 1e9, sums[("duration_seconds_sum",) + key])
        last = 0
        for bound in sorted((k[3] for k in sums if k[:3] == ("duration_seconds_bucket",) + key[:2]), key=float):
            assert sums[("duration_seconds_bucket", layer, operation, bound)] >= last
            last = sums[("duration_seconds_bucket", layer, operation, bound)]
        same("buckets of %s %s" % key[:2], sums[("duration_seconds_count",) + key], last)
wrong += ["%s: %s more in the metrics" % (k, sums[k]) for k in seen if sums[k]]
print("WRONG " + "; ".join(wrong) if wrong or n < 6 else "ok %d values" % n)
