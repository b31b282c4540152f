# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a run of fio did to every file what a trace says, beside what the job file says is left out.

fio_checks.py same TRACE JOBS TRACE-OF-FIO [COLUMN-TO-PASS-OVER]...
fio_checks.py figures CSV [MEASURE-OR-VERDICT-TO-PASS-OVER]...: what `report --replay` says of each file
fio_checks.py pauses TRACE JOBS TRACE-OF-FIO: what lies between calls is no shorter; no_pauses: it is
fio_checks.py told JSON CSV: of `report --against`, one is the other
fio_checks.py inside JOBS SCRATCH: no log names a file elsewhere
"""

import collections
import csv
import glob
import json
import os
import subprocess
import sys

COLUMNS = ["opens", "reads", "writes", "read_bytes", "write_bytes", "rewrites", "syncs", "read_sequential", "write_sequential"]
METRICS = ["read_complete", "write_complete", "read_run", "write_run", "sync_gap"]


def answer(trace, *options):
    text = subprocess.run([os.environ.get("IOTRACER", "./iotracer"), "files", trace, "-q", "--csv", *options],
                          capture_output=True, text=True, check=False).stdout
    return csv.DictReader(text.splitlines())


def files(trace):
    return {row["filename"]: row for row in answer(trace)}


def histograms(trace):
    """By file, whatever the call; what moved nothing is left out."""
    found = collections.defaultdict(collections.Counter)
    for row in answer(trace, "--histograms"):
        if row["metric"] in METRICS and row["sum"] != "0":
            key = row["metric"], row["from"]
            found[row["filename"]][key] += int(row["count"])
    return found


def names(jobs):
    with open(f"{jobs}/names.csv", encoding="utf-8", errors="surrogateescape", newline="") as lines:
        return {row["name"]: row["filename"] for row in csv.DictReader(lines)}


def rows(trace):
    for segment in sorted(glob.glob(f"{trace}/fs/*.csv")):
        with open(segment, encoding="utf-8", errors="surrogateescape", newline="") as lines:
            yield from csv.DictReader(lines)


def left_out(trace):
    """What fio cannot do, by file and column."""
    left = collections.Counter()
    for row in rows(trace):
        name, operation, result = row["filename"], row["operation"], int(row["return_value"])
        if operation in ("READ", "WRITE") and result == 0:
            left[name, operation.lower() + "s"] += 1
        elif operation in ("SYNC_FILE_RANGE", "MSYNC"):
            left[name, "syncs"] += 1
    return left


def same(trace, jobs, again, *passed_over):
    before, after, left = files(trace), files(again), left_out(trace)
    shapes = histograms(trace), histograms(again)
    folders = {path[: path.rfind("/")] for path in before}
    n = wrong = 0
    for name, path in names(jobs).items():
        copy = name
        if path not in before or path in folders:  # of directories `files` says nothing
            if path not in folders and not os.path.isdir(path):
                print(f"{path}: not in {trace}")
                wrong += 1
            continue
        n += 1
        for column in COLUMNS:
            if column in passed_over:
                continue
            want = float(before[path][column] or 0) - left[path, column]
            have = float(after[copy][column] or 0) if copy in after else 0
            if want != have:
                print(f"{path}: {column}: {want} {have}")
                wrong += 1
        for key in set(shapes[0][path]) | set(shapes[1][copy]):
            if key[0] not in passed_over and shapes[0][path][key] != shapes[1][copy][key]:
                print(f"{path}: {key}: {shapes[0][path][key]} {shapes[1][copy][key]}")
                wrong += 1
    print(f"{n} files")
    return n > 0 and not wrong


def figures(name, *passed_over):
    n = wrong = 0
    with open(name, encoding="utf-8", errors="surrogateescape", newline="") as lines:
        for row in csv.DictReader(lines):
            n += 1
            if row["verdict"] not in ("equal", "noise") and not {row["measure"], row["verdict"]} & set(passed_over):
                print(f"{row['filename']}: {row['measure']}: {row['before']} {row['after']} {row['verdict']}")
                wrong += 1
    print(f"{n} figures, {wrong} of them differ")
    return n > 0 and not wrong


def begins(trace, wanted):
    """Beginning and end of what fio has actions for, in order."""
    found = [(int(row["mono_ns"]), int(row["latency_ns"] or 0)) for row in rows(trace)
             if row["filename"] in wanted and row["operation"] in ("OPEN", "READ", "WRITE", "FSYNC", "FDATASYNC", "CLOSE")]
    return [(start, start + latency) for start, latency in sorted(found)]


def span(trace, wanted):
    found = begins(trace, wanted)
    print(f"{trace}: {(found[-1][0] - found[0][0]) / 1e6:.1f} ms from the first call to the last one")
    return found[-1][0] - found[0][0]


def idle(trace, wanted):
    """Between the end of a call and the beginning of the next, where it is long enough to be meant."""
    total = last = 0
    for start, end in begins(trace, wanted):
        total += start - last if last and start - last > 100e6 else 0
        last = max(last, end)
    print(f"{trace}: pauses of {total / 1e6:.1f} ms")
    return total


def pauses(trace, jobs, again):
    """fio makes up for a pause that was too long in the next one, and never begins earlier than the trace: how late is for the machine to say, within 2 % where nothing else runs."""
    listed = names(jobs)
    return span(trace, set(listed.values())) * 0.9 <= span(again, set(listed))


def no_pauses(trace, jobs, again):
    listed = names(jobs)
    return idle(again, set(listed)) < idle(trace, set(listed.values())) * 0.9


def told(answer, table):
    with open(answer, encoding="utf-8") as text:
        answer = json.load(text)
    with open(table, encoding="utf-8", newline="") as lines:
        want = list(csv.DictReader(lines))
    have = [{name: "" if value is None else str(value) for name, value in job.items()} for job in answer["jobs"]]
    print(answer["traces"], have)
    return len(answer["traces"]) == 1 and answer["traces"][0]["rows"] > 0 and len(want) > 0 and have == want


def inside(jobs, scratch):
    n = 0
    for log in glob.glob(f"{jobs}/logs/*.log"):
        with open(log, encoding="ascii") as lines:
            next(lines)
            for line in lines:
                words = line.split()
                name = words[0] if words[0].startswith("/") else words[1]
                if not name.startswith(scratch + "/") or ".." in name or len(words) > 5:
                    print(line)
                    return False
                n += 1
    return n > 0


if __name__ == "__main__":
    sys.exit(not {"same": same, "figures": figures, "pauses": pauses, "no_pauses": no_pauses, "told": told, "inside": inside}[sys.argv[1]](*sys.argv[2:]))
