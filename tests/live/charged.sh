#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What requests are charged to: two control groups of version 2, of which one writes through the cache and the
# other reads and writes directly; the rows of each are the bytes that its io.stat counts, whoever submits
# them. And what all rows of a device add up to is what /sys/block counts, where the whole machine is traced (in a VM).
#   LIVE_OWNERS  a directory on a file system, of a device that nobody else uses
# alone: it calls sync(2), and empties the page cache
. "$(dirname "$0")/lib.sh"

groups=/sys/fs/cgroup
grep -qsw io $groups/cgroup.controllers || skip_all 'the controller io is not in control groups of version 2'
command -v python3 >/dev/null || skip_all 'python3 is not installed'
place=${LIVE_OWNERS:-}
place=${place%% *}
[ -n "$place" ] || skip_all 'no device of its own: LIVE_OWNERS'
source=$(findmnt -no SOURCE -T "$place")
disk=$(lsblk -ndo PKNAME "$source" 2>/dev/null)
[ -n "$disk" ] || disk=${source#/dev/}
device=$(cat "/sys/block/$disk/dev") || skip_all "$source is not a disk"

undo()
{
	rmdir $groups/iot-cached $groups/iot-direct
}
# what else is mounted there must not fall into another device's numbers
echo +io >$groups/cgroup.subtree_control || skip_all 'the controller io cannot be used'
echo +memory >$groups/cgroup.subtree_control 2>/dev/null
mkdir $groups/iot-cached $groups/iot-direct || exit

cat >load.sh <<'END'
cat /sys/block/$3/stat >"$2/before"
(
	echo $BASHPID >/sys/fs/cgroup/iot-cached/cgroup.procs
	dd if=/dev/zero of="$1/cached" bs=64k count=48
	sync
) 2>/dev/null
(
	echo $BASHPID >/sys/fs/cgroup/iot-direct/cgroup.procs
	dd if=/dev/zero of="$1/direct" bs=16k count=64 oflag=direct
	dd if="$1/cached" of=/dev/null bs=32k count=16 iflag=direct
) 2>/dev/null
sync
cat /sys/block/$3/stat >"$2/after"
END
sync
echo 3 >/proc/sys/vm/drop_caches
if [ -n "${VM_RELEASE:-}" ]; then
	check 'recorded' record_in_background c -m 16384 -e fs,ds
	bash load.sh "$place" "$PWD" "$disk"
	end_tracer
else
	check 'recorded' record c -m 16384 -e fs,ds -- bash load.sh "$place" "$PWD" "$disk"
fi
check 'nothing was lost' no_loss c
cat >compare.py <<'END'
import csv, glob, os, sys
device, tier = sys.argv[1:]
rows = [r for f in glob.glob("c/ds/*.csv") for r in csv.DictReader(open(f)) if r["dev"] == device]
for name in "cached", "direct":
    id = str(os.stat("/sys/fs/cgroup/iot-" + name).st_ino)
    mine = [r for r in rows if r["cgroup"] == id]
    moved = {o: sum(int(r["size"]) for r in mine if r["operation"] == o) for o in ("read", "write")}
    stat = {}
    for line in open("/sys/fs/cgroup/iot-%s/io.stat" % name):
        words = line.split()
        if words and words[0] == device:
            stat = {k: int(v) for k, v in (w.split("=") for w in words[1:])}
    # of what flusher threads write only the kernel's structures tell the group
    ok = moved["read"] == stat.get("rbytes", 0) and moved["write"] == stat.get("wbytes", 0) and moved["write"] > 0
    print("%s %s: %d read, %d written, %d by threads of the kernel; io.stat %s" % ("ok" if ok else "WRONG", name, moved["read"], moved["write"],
        sum(int(r["size"]) for r in mine if r["command"].startswith("kworker")), stat))
if "VM_RELEASE" not in os.environ:
    sys.exit()
before, after = ([int(n) for n in open(f).read().split()] for f in ("before", "after"))
all = {o: (sum(1 for r in rows if r["operation"] == o), sum(int(r["size"]) for r in rows if r["operation"] == o)) for o in ("read", "write")}
want = {"read": (after[0] - before[0], (after[2] - before[2]) * 512), "write": (after[4] - before[4], (after[6] - before[6]) * 512)}
print("%s device: rows %s, /sys/block %s" % ("ok" if all == want and want["write"][1] and want["read"][1] else "WRONG", all, want))
END
python3 compare.py "$device" "$LIVE_TIER" >told
cat told
for what in cached direct ${VM_RELEASE:+device}; do
	check "$what: rows are what the kernel counts" grep -q "^ok $what" told
done
