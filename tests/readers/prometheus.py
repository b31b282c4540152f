# SPDX-License-Identifier: GPL-2.0-or-later
# PORT WHAT [ARG]...: asks a Prometheus there; fails with what is not as it should be.
import csv, json, sys, time, urllib.parse, urllib.request
base = "http://127.0.0.1:%s/api/v1/" % sys.argv[1]
def ask(query):
    with urllib.request.urlopen(base + "query?" + urllib.parse.urlencode({"query": query})) as answer:
        told = json.load(answer)
    assert told["status"] == "success", told
    return told["data"]["result"]
def sums(metric):
    return {(r["metric"]["layer"], r["metric"]["operation"]): float(r["value"][1]) for r in ask("sum by (layer, operation) (%s)" % metric)}
if sys.argv[2] == "wait": # until the query has that value
    end = time.time() + 60
    while time.time() < end:
        try:
            got = ask(sys.argv[3])
            if got and float(got[0]["value"][1]) == float(sys.argv[4]):
                sys.exit()
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit("no %s" % sys.argv[3])
if sys.argv[2] == "same":
    counts, errors, moved, seconds = (sums("iotracer_" + m) for m in ("operations_total", "errors_total", "bytes_total", "duration_seconds_sum"))
    n = 0
    for r in csv.DictReader(open(sys.argv[3])):
        key = r["layer"], r["operation"]
        assert counts[key] == int(r["count"]), (key, counts[key], r)
        assert not r["errors"] or errors[key] == int(r["errors"]), (key, errors[key], r)
        for column in "read_bytes", "write_bytes":
            assert not r[column] or moved[key] == int(r[column]), (key, moved[key], r)
        assert not r["time_ns"] or abs(seconds[key] - int(r["time_ns"]) / 1e9) < 1e-6, (key, seconds[key], r)
        n += 1
    assert n > 8, n
    assert not ask("node_textfile_scrape_error != 0")
if sys.argv[2] == "panels": # all are queries; those of what was recorded have an answer
    empty = []
    for panel in json.load(open(sys.argv[3]))["panels"]:
        for target in panel["targets"]:
            query = target["expr"].replace("$instance", ".*").replace("$__rate_interval", "1m")
            if not ask(query):
                empty.append(panel["title"])
    print("without an answer:", empty)
    assert len(empty) <= 2, empty
if sys.argv[2] == "types":
    with urllib.request.urlopen(base + "metadata") as answer:
        told = {k: v[0] for k, v in json.load(answer)["data"].items() if k.startswith("iotracer_")}
    print(told)
    assert told["iotracer_operations_total"]["type"] == "counter" and told["iotracer_duration_seconds"]["type"] == "histogram"
    assert all(v["help"] and v["type"] != "unknown" for v in told.values())
