#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whose the bytes of a device are: fio with each way to and from a disk, and tar, on file systems of their
# own. Of the device's bytes the cause is known, of the data the file; and no file is given a sector
# that the file system (filefrag) says is another's.
#   LIVE_OWNERS  directories on file systems of different devices that nobody else uses (default: ext4,
#                XFS and Btrfs in images)
# alone: it calls sync(2), and empties the page cache
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-disks.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-disks.sh"

for tool in fio python3 filefrag tar; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done

undo()
{
	umount_images
}

cat >load.sh <<'END'
cd "$1" || exit
go()
{
	fio --output=/dev/null --invalidate=0 --thread=0 --name="$@"
}
go buffered --filename=buffered --rw=randwrite --bs=4k --size=16m --io_size=4m --fsync=16 --ioengine=psync
go sequential --filename=sequential --rw=write --bs=128k --size=16m --ioengine=psync
sync
go direct --filename=direct --rw=randwrite --bs=8k --size=4m --direct=1 --ioengine=psync
go mapped --filename=mapped --rw=randwrite --bs=4k --size=8m --io_size=2m --ioengine=mmap
mkdir tree
tar -C tree -xf "$2"
sync
echo 3 >/proc/sys/vm/drop_caches
go reader --filename=buffered --rw=randread --bs=4k --size=16m --io_size=1m --ioengine=psync
go mapped_reader --filename=sequential --rw=randread --bs=4k --size=16m --io_size=1m --ioengine=mmap
go direct_reader --filename=direct --rw=randread --bs=8k --size=4m --io_size=2m --direct=1 --ioengine=psync
"$5" -I "$3" >"$4"
END
# what the kernel counts for a process: pages that it made dirty, less those that never were written; and what it read
cat >account.py <<'END'
import os, time
def account():
    return {n: int(v) for n, v in (l.split(": ") for l in open("/proc/self/io"))}
now = time.monotonic_ns
account(), now() # so that those below read no code
written, cut = (os.open(name, os.O_RDWR | os.O_CREAT) for name in ("written", "cut"))
for i in range(1280):
    os.write(written, b"x" * 4096)
os.fsync(written)
os.write(cut, b"x" * (1 << 20))
os.ftruncate(cut, 0)
old = os.open("sequential", os.O_RDONLY)
before, began = account(), now()
while os.read(old, 1 << 20):
    pass
ended, after = now(), account()
print("pid:", os.getpid(), "began:", began, "ended:", ended, "read:", after["read_bytes"] - before["read_bytes"],
      "dirty:", after["write_bytes"] - after["cancelled_write_bytes"])
END
# files of several sizes that nobody here wrote
(cd /usr/share && find . -xdev -type f -size -64k -readable 2>/dev/null | sort | head -400 | tar -cf "$tmp/tree.tar" -T - 2>/dev/null)

# the interpreter itself: a script that stands for it has children, which count for their parent
python=$(python_path)

# told SESSION DIRECTORY: what the rows say of the directory's device
cat >told.py <<'END'
import csv, glob, os, re, subprocess, sys
session, place, kind = sys.argv[1:]
io = open(session + ".io").read().replace(":", "").split()
io = {name: int(n) for name, n in zip(io[::2], io[1::2])}
source = os.popen("findmnt -no SOURCE -T " + place).read().strip().split("[")[0]
device = "%d:%d" % (os.major(os.stat(source).st_rdev), os.minor(os.stat(source).st_rdev))
disk, start = device, 0
where = os.path.realpath("/sys/dev/block/" + device)
if os.path.exists(where + "/partition"):
    start = int(open(where + "/start").read())
    disk = open(where + "/../dev").read().strip()
everywhere = [r for f in glob.glob(session + "/ds/*.csv") for r in csv.DictReader(open(f))]
rows = [r for r in everywhere if r["dev"] == disk]
total = known = data = named = 0
unknown, unnamed = {}, {}
for r in rows:
    size = int(r["size"])
    if r["operation"] not in ("read", "write"):
        continue
    total += size
    known += size if r["cause"] else 0
    if not r["cause"]:
        key = r["operation"], r["command"], r["flags"]
        unknown[key] = unknown.get(key, 0) + size
    if r["cause"] in ("read", "writeback", "sync", "direct"):
        data += size
        named += size if r["filename"] else 0
        if not r["filename"]:
            key = r["operation"], r["command"], r["cause"], r["inode"]
            unnamed[key] = unnamed.get(key, 0) + size
def share(what, part, whole, least):
    print("%s %s: %.2f %% of %d bytes" % ("ok" if whole and part >= whole * least else "WRONG", what, 100.0 * part / max(whole, 1), whole))
share("cause", known, total, 0.95)
share("file", named, data, 0.95)
for key, size in sorted(list(unknown.items()) + list(unnamed.items()), key=lambda k: -k[1])[:6]:
    print("# %d" % size, *key)
# the sectors of each file
def sectors(paths):
    found = {}
    out = subprocess.run(["filefrag", "-e", "-b512"] + paths, capture_output=True, text=True, errors="surrogateescape").stdout
    for line in out.splitlines():
        m = re.match(r"File size of (.*) is \d+ \(", line)
        if m:
            extents = found[m[1]] = []
        m = re.match(r" *\d+: +(\d+)\.\. +(\d+): +(\d+)\.\. +(\d+):", line)
        if m:
            extents.append((int(m[3]) + start, int(m[4]) + start))
    return found
checked = other = 0
if kind != "btrfs": # which writes each block to another place
    # of the file that was cut no sector is left to compare
    of_files = [r for r in rows if r["cause"] in ("read", "writeback", "sync", "direct") and r["filename"].startswith(place + "/")
            and os.path.isfile(r["filename"]) and not r["filename"].endswith("/cut")]
    extents = sectors(sorted({r["filename"] for r in of_files}))
    for r in of_files:
        path = r["filename"]
        first, last = int(r["sector"]), int(r["sector"]) + int(r["size"]) // 512 - 1
        inside = sum(max(0, min(last, e) - max(first, b) + 1) for b, e in extents.get(path, ()))
        checked += 1
        # of several files the largest is named
        if inside == 0 or (inside < last - first + 1 and int(r["owner_count"] or 1) < 2):
            other += 1
            print("# not of", path, r["sector"], r["size"], r["cause"], r["command"], r["owner_count"], extents.get(path))
    print("%s extents: %d requests of files, %d with sectors of others" % ("ok" if checked > 500 and not other else "WRONG", checked, other))
by = {}
for r in rows:
    if r["operation"] == "write":
        by.setdefault((os.path.basename(r["filename"]), r["cause"]), []).append(r)
def bytes_of(name, *causes):
    return sum(int(r["size"]) for c in causes for r in by.get((name, c), []))
if kind != "btrfs":
    n = bytes_of("direct", "direct")
    print("%s direct: %d bytes" % ("ok" if n == 4 << 20 else "WRONG", n))
n = bytes_of("sequential", "writeback", "sync")
print("%s sequential: %d bytes" % ("ok" if n == 16 << 20 else "WRONG", n))
mine = [r for r in everywhere if r["owner_pid"] == str(io["pid"])]
def begun(r):
    return int(r["mono_ns"]) - round(1e6 * sum(float(r[c] or 0) for c in ("latency_ms", "queue_time_ms")))
wrote = {}
for r in mine:
    if r["operation"] == "write" and r["cause"] in ("writeback", "sync", "direct"):
        name = os.path.basename(r["filename"])
        wrote[name] = wrote.get(name, 0) + int(r["size"])
# a file system may write some of what is about to be cut off, and the kernel counts that, too
whole, wrote = wrote.get("written", 0) == 5 << 20, sum(wrote.values())
read = {True: 0, False: 0}
for r in everywhere:
    if r["pid"] == str(io["pid"]) and r["operation"] == "read" and io["began"] <= begun(r) <= io["ended"]:
        read[r["dev"] == disk] += int(r["size"])
dirty = io["dirty"]
# besides, file systems make pages of their own dirty, for times of access and the like
same = wrote <= dirty <= wrote + (1 << 18)
# a request of another device may have parts of processes that read beside it, and is as large as all of them
exact = 0 < read[True] <= io["read"] <= read[True] + read[False]
print("%s account: wrote %d bytes, made %d dirty; read %d, of other devices at most %d, the kernel counts %d" %
      ("ok" if same and whole and exact else "WRONG", wrote, dirty, read[True], read[False], io["read"]))
late = [r for r in rows if r["cause"] == "writeback" and r["filename"].startswith(place + "/tree/")]
late += [r for r in rows if r["cause"] == "sync" and r["filename"].startswith(place + "/tree/")]
owners = {r["owner_command"] for r in late}
print("%s tar: %d requests by %s for %s" % ("ok" if owners == {"tar"} else "WRONG", len(late), ", ".join(sorted({r["command"].split("/")[0] for r in late})), ", ".join(owners)))
END

told()
{
	local line

	line=$(sed -n "s/^\(ok\|WRONG\) $2: /\1 /p" "$1.told")
	echo "$line"
	[ "${line%% *}" = ok ]
}

go()
{
	local name=$1 where=$2 kind=$3

	record "$name" -m 65536 -e fs,ds -- bash load.sh "$where" "$tmp/tree.tar" "$tmp/account.py" "$tmp/$name.io" \
		"$python" || { cat "$name.log" >&2; return 1; }
	python3 told.py "$name" "$where" "$kind" >"$name.told" || return
	sed -n "s/^# /$name: /p" "$name.told" | head -12
}

n=0
if [ -n "${LIVE_OWNERS:-}" ]; then
	read -ra places <<<"$LIVE_OWNERS"
else
	places=(ext4 xfs btrfs)
fi
for kind in "${places[@]}"; do
	where=$kind
	if [ -z "${LIVE_OWNERS:-}" ]; then
		mount_image "$kind" || { skip "$kind: mkfs.$kind is not installed, or there are no loop devices"; continue; }
		where=$PWD/$kind
	else
		kind=$(findmnt -no FSTYPE -T "$where")
		mkdir -p "$where/owners"
		where=$where/owners
	fi
	n=$((n + 1))
	check "$kind: a trace of the load" go "$kind$n" "$where" "$kind"
	# without the kernel's structures nothing tells what Btrfs' own threads write
	if [ "$kind" = btrfs ] && [ "$LIVE_TIER" = c ]; then
		continue
	fi
	check "$kind: of 95 % of the bytes the cause is known" told "$kind$n" cause
	check "$kind: and of 95 % of the data the file" told "$kind$n" file
	[ "$kind" = btrfs ] || check "$kind: no file is given what is another's" told "$kind$n" extents
	[ "$kind" = btrfs ] || check "$kind: direct writes are the file's, to the byte" told "$kind$n" direct
	check "$kind: what was written in order reaches the disk once" told "$kind$n" sequential
	check "$kind: a process has the bytes that /proc/PID/io counts" told "$kind$n" account
	check "$kind: kernel threads write for tar" told "$kind$n" tar
done
