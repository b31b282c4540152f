# SPDX-License-Identifier: GPL-2.0-or-later
"""What must always be so, whatever happened to a recording."""
import csv
import ctypes
import datetime
import glob
import gzip
import json
import os
import subprocess
import time

READERS = [["files"], ["report"], ["amp"], ["why"], ["uring"]]
PEAK_KB = 64 * 1024  # without rings
most_kb = 0  # of all rounds


def memory_kb(pid):
    try:
        for line in open("/proc/%d/status" % pid):
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0


def iotracer(*args):
    return subprocess.run([os.environ["IOTRACER"]] + list(args), capture_output=True, text=True, errors="replace",
                          timeout=120, check=False)


# ---- the kernel ----

def programs():
    """How many BPF programs there are"""
    libc, attr, n = ctypes.CDLL(None), ctypes.create_string_buffer(128), 0
    while libc.syscall(321, 11, attr, 128) == 0:  # BPF_PROG_GET_NEXT_ID: the next one's is behind
        attr.raw = attr.raw[4:8] + bytes(124)
        n += 1
    return n


def tracers():
    return [p for p in glob.glob("/proc/[0-9]*/comm") if read(p).startswith("iotracer")]


def read(path):
    try:
        return open(path, errors="replace").read()
    except OSError:
        return ""


def kernel_state():
    return {"programs": programs(), "alone": not tracers()}


def left_in_kernel(before):
    """Where nobody else traces, all programs of BPF are gone; a probe or pinned object is ours in any case."""
    for _ in range(50):
        now = kernel_state()
        if not before["alone"] or not now["alone"] or now["programs"] <= before["programs"]:
            break
        time.sleep(0.1)
    else:
        return "%d programs instead of %d" % (now["programs"], before["programs"])
    pinned = glob.glob("/sys/fs/bpf/iot*")
    return "pinned: %s" % pinned if pinned else ""


def ours(r):
    """Processes of this round that are still there"""
    mark, left = ("SOAK_OF=" + r.work).encode(), []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            if mark in open(path, "rb").read().split(b"\0"):
                left.append(int(path.split("/")[2]))
        except OSError:
            pass
    return left


def probes_of(pid):
    return ["iotracer_%d" % pid] if "iotracer_%d" % pid in read("/sys/kernel/tracing/kprobe_events") else []


# ---- the ledger ----

def rows_of(directory, stream):
    for path in sorted(glob.glob("%s/%s/*.csv*" % (directory, stream))):
        with gzip.open(path, "rt", newline="", errors="surrogateescape") if path.endswith(".gz") else \
                open(path, newline="", errors="surrogateescape") as f:
            yield from csv.DictReader(f)


def when(timestamp):
    """Local time of this machine"""
    return datetime.datetime.fromisoformat(timestamp).timestamp()


def missing(manifest):
    """Of fs: rows that the trace says it does not have"""
    n = sum(x["count"] for x in manifest.get("lost", []) if x["stream"] == "fs")
    for s in manifest["streams"]:
        if s["name"] == "fs":
            n += s.get("evicted_rows", 0) + s.get("unwritable", 0)
    return n


def ledger(r, manifest, killed):
    """
    Counted operations are rows, or counted as missing. Who was killed has no account of the end. Where an open was
    lost, rows without a name may be of the file.
    """
    if "--anonymize" in r.options:
        return []
    seen, unnamed = dict.fromkeys(r.load.rows, 0), dict.fromkeys(r.load.rows, 0)
    first, last, wrong = r.began - 2, time.time() + 2, ""
    for row in rows_of(r.dir, "fs"):
        if not first <= when(row["timestamp"]) <= last and "clock" not in r.allows:
            wrong = "a row of %s, of a round that began at %s" % (row["timestamp"], time.ctime(r.began))
        for operation, name in seen:
            if row["operation"] == operation and (
                    row["filename"].endswith("/" + name) if name else "/files/" in row["filename"]):
                seen[operation, name] += 1
            elif row["operation"] == operation and not row["filename"]:
                unnamed[operation, name] += 1
    said = [wrong] if wrong else []
    for what, n in seen.items():
        want, gone = r.load.rows[what], missing(manifest)
        gone += unnamed[what] if gone else 0
        r.came.append("%d of %d rows" % (n, want) + (", %d missing" % gone if gone else ""))
        if n > want or (not killed and "stopped" not in r.allows and want - n > gone):
            said.append("%s of %s: %d rows, %d missing, of %d" % (what + (n, gone, want)))
    return said


# ---- all of it ----

def session(r, status):
    if not os.path.isdir(r.dir):
        return [] if r.allows & {"gone", "refused", "killed", "oom"} else ["there is no directory"]
    if not glob.glob(r.dir + "/*"):
        return [] if r.allows & {"gone", "refused", "killed", "oom"} else ["the directory is empty"]
    said = []
    ended_badly = status is None or status < 0
    found = iotracer("verify", r.dir)
    if found.returncode and not (ended_badly or r.allows & {"rows", "gone"}):
        said.append("verify: %d: %s" % (found.returncode, found.stderr[-300:] + found.stdout[-300:]))
    if found.returncode:
        repaired = iotracer("verify", "--repair", r.dir)
        again = iotracer("verify", r.dir)
        if "gone" in r.allows and repaired.returncode:
            return said
        if repaired.returncode or again.returncode:
            said.append("repair: %d, verify: %d, before: %d: %s" % (
                repaired.returncode, again.returncode, found.returncode,
                (found.stderr + found.stdout + repaired.stderr + again.stderr + again.stdout)[-1500:]))
            return said
    manifest = json.load(open(r.dir + "/manifest.json"))
    said += ledger(r, manifest, ended_badly or bool(found.returncode) or "gone" in r.allows)
    for reader in READERS:
        done = iotracer(*reader, r.dir)
        if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stderr):
            said.append("%s: %d: %s" % (" ".join(reader), done.returncode, done.stderr[-300:]))
    return said


def output(r, status, expected):
    """The load's output is as without, also when its tracer was killed."""
    got = open(r.work + "/out", "rb").read()
    refused = status not in (0, None) and not got
    if refused and r.allows & {"refused", "killed"} and not r.attached:
        return []
    if expected is None or got == expected:
        return []
    return ["output %r instead of %r, status %s: %s" % (got[-200:], expected[-200:], status, read(r.log)[-800:])]


def memory(r):
    """Little, and in a round of seconds no more in its second half than in its first."""
    half = len(r.memory_kb) // 2
    if max(r.memory_kb) > PEAK_KB:
        return ["%d kB of memory" % max(r.memory_kb)]
    if r.load.name == "steady" and half > 40 and max(r.memory_kb[half:]) > 1.2 * max(r.memory_kb[:half]) + 2048:
        return ["memory grows: %s kB" % r.memory_kb[::10]]
    return []


def broken(r, status, expected):
    global most_kb
    said = []
    log = read(r.log)
    most_kb = max([most_kb] + r.memory_kb)
    allowed = {0, 1} | ({-9} if r.killed or "oom" in r.allows else set())
    if not log:
        allowed.add(-15)  # before it did anything at all
    if status is None:
        said.append("the tracer does not end: %s" % log[-2000:])
    elif status not in allowed:
        said.append("status %d: %s" % (status, log[-500:]))
    if status == 1 and not r.allows & {"rows", "refused"}:
        said.append("status 1 without a reason: %s" % log[-800:])
    if status == 1 and "iotracer: " not in log:
        said.append("status 1 without a message: %s" % log[-500:])
    for word in ("Sanitizer", "runtime error", "Assertion", "corrupted"):
        if word in log:
            said.append(log[-3000:])
    said += output(r, status, expected)
    r.came.append("status %s" % status)
    end = time.monotonic() + 30
    while ours(r) and time.monotonic() < end:
        time.sleep(0.1)
    if ours(r):
        said.append("processes are left: %s" % ["%d %s" % (p, read("/proc/%d/comm" % p).strip()) for p in ours(r)])
    said += probes_of(r.tracer.pid)
    said += memory(r)
    if getattr(r, "archive_status", 0) not in (0, 1):
        said.append("doctor of a damaged archive: %d" % r.archive_status)
    return said + session(r, status)
