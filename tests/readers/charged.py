# SPDX-License-Identifier: GPL-2.0-or-later
"""charged.py DEVICE TIER: to whom the rows of c/ds charge what the loads of charged.sh did to the device."""
import csv, glob, os, sys
device, tier = sys.argv[1:]
rows = [r for f in glob.glob("c/ds/*.csv") for r in csv.DictReader(open(f)) if r["dev"] == device]
for name in "cached", "direct":
    id = str(os.stat("/sys/fs/cgroup/iot-" + name).st_ino)
    mine = [r for r in rows if r["cgroup"] == id]
    moved = {o: sum(int(r["size"]) for r in mine if r["operation"] == o) for o in ("read", "write")}
    # from 5.15 on a device without numbers has no line of its own: its name stands before that of the next one
    stat, at = {}, None
    for word in open("/sys/fs/cgroup/iot-%s/io.stat" % name).read().split():
        if "=" not in word:
            at = word
        elif at == device:
            key, value = word.split("=")
            stat[key] = int(value)
    # of what flusher threads write only the kernel's structures tell the group
    ok = moved["read"] == stat.get("rbytes", 0) and moved["write"] == stat.get("wbytes", 0) and moved["write"] > 0
    print("%s %s: %d read, %d written, %d by threads of the kernel; io.stat %s" % ("ok" if ok else "WRONG", name, moved["read"], moved["write"],
        sum(int(r["size"]) for r in mine if r["command"].startswith("kworker")), stat))
if "VM_RELEASE" not in os.environ:
    sys.exit()
# A flush that XFS sends alone (from 5.14 on) counts as a write of nothing as well, though it never is one on the device.
before, after = ([int(n) for n in open(f).read().split()] for f in ("before", "after"))
# those between the two moments: before and after, a journal or another program may write
began, ended = (int(open(f + ".clock").read()) for f in ("before", "after"))
rows = [r for r in rows if began < int(r["mono_ns"]) <= ended]
all = {o: (sum(1 for r in rows if r["operation"] == o), sum(int(r["size"]) for r in rows if r["operation"] == o)) for o in ("read", "write")}
flushes = sum(1 for r in rows if r["operation"] == "flush")
want = {"read": (after[0] - before[0], (after[2] - before[2]) * 512), "write": (after[4] - before[4], (after[6] - before[6]) * 512)}
empty = want["write"][0] - all["write"][0]
ok = all["read"] == want["read"] and all["write"][1] == want["write"][1] and 0 <= empty <= flushes and all["read"][1] and all["write"][1]
print("%s device: rows %s and %d flushes, /sys/block %s" % ("ok" if ok else "WRONG", all, flushes, want))
