#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream layers: beside fs and ds it counts what these have rows of, to the call and to the byte; alone it
# counts the same without a record of any call; and amplification is the same from either.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'python3 is not installed'
if [ "$LIVE_TIER" = c ]; then
	"$IOTRACER" record -o none "${record_options[@]}" -e layers -- true 2>said
	check 'without layouts there are no counts, and it says why' grep -q 'to tell files from sockets' said
	exit
fi

# where images are made beforehand: one without fs, whose programs do nothing but count
counts=()
[ -z "${LIVE_COUNTS:-}" ] || counts=(--image "$LIVE_COUNTS")

cat >sums.py <<'END'
import csv, glob, os, sys
session, told = sys.argv[1:]
def rows(stream):
    return [r for f in sorted(glob.glob(session + "/" + stream + "/*.csv")) for r in csv.DictReader(open(f, errors="surrogateescape"))]
def add(to, key, n, size, errors):
    a, b, c = to.get(key, (0, 0, 0))
    to[key] = a + n, b + size, c + errors
counted, recorded = {}, {}
names = {}
for r in rows("layers"):
    pid = r["pid"] or "0"
    names.setdefault(pid, set()).add(r["command"])
    add(counted, (pid, r["layer"], r["operation"], r["class"]), int(r["count"]), int(r["bytes"]), int(r["errors"]))
# the program knows what it did; what it wrote at its end to tell it is two more calls at most
if told:
    mine = {}
    for line in open(told):
        pid, kind, calls, moved = line.split()
        got = counted.get((pid, "SYSCALL", kind, ""), (0, 0, 0))
        more = 200 if kind == "READ" else 2 if kind == "WRITE" else 0 # Python reads modules
        ok = int(calls) <= got[0] <= int(calls) + more and got[1] >= int(moved) and (more or got[1] == int(moved))
        print("%s told %s: %d calls and %s bytes, counted %s" % ("ok" if ok else "WRONG", kind, int(calls), moved, got))
    print("%s told errors: %d" % ("ok" if counted.get((pid, "SYSCALL", "READ", ""), (0, 0, 0))[2] == 7 else "WRONG", counted.get((pid, "SYSCALL", "READ", ""), (0, 0, 0))[2]))
    sys.exit()
vfs = any(k[1] == "VFS" for k in counted)
words = {"READ": ["READ"], "WRITE": ["WRITE"], "FSYNC": ["SYNC"], "FDATASYNC": ["SYNC"], "SENDFILE": ["READ"], "COPY_FILE_RANGE": ["READ", "WRITE"]}
for r in rows("fs"):
    ret = int(r["return_value"])
    kinds = words.get(r["operation"], [])
    if r["operation"] == "SENDFILE" and " -> /" in r["filename"]:
        kinds = ["READ", "WRITE"]
    if r["operation"] == "SPLICE":
        kinds = ["WRITE" if "TO_FILE" in r["flags"] else "READ"]
    for kind in kinds:
        if not r["filename"].startswith("/") or r["inode"] == "":
            continue
        size = max(ret, 0) if kind != "SYNC" else 0
        if r["call"]:
            add(recorded, (r["pid"], "SYSCALL", kind, ""), 1, size, ret < 0)
        if vfs and kind != "SYNC":
            add(recorded, (r["pid"], "VFS", kind, ""), 1, size, ret < 0)
classes = {"journal": "journal", "metadata": "metadata", "lazyinit": "metadata", "swap": "swap", "loop": "loop", "": "other"}
for r in rows("ds"):
    if r["operation"] not in ("read", "write", "zone_append"):
        continue
    add(recorded, (r["owner_pid"] or r["pid"] or "0", "BLOCK", "READ" if r["operation"] == "read" else "WRITE", classes.get(r["cause"], "data")),
        1, int(r["size"]), bool(r["error"]))
for layer in "SYSCALL", "VFS", "BLOCK":
    a = {k: v for k, v in counted.items() if k[1] == layer}
    b = {k: v for k, v in recorded.items() if k[1] == layer}
    if layer == "VFS": # programs are read through a file system on top of another here and there, which has no rows
        more = {k: v for k, v in a.items() if k[2] == "READ"}
        if all(more.get(k, (0, 0, 0)) >= v for k, v in b.items() if k[2] == "READ"):
            a, b = ({k: v for k, v in x.items() if k[2] != "READ"} for x in (a, b))
    print("%s %s: %d counts, %s of %d rows" % ("ok" if a == b and (a or layer == "VFS") else "WRONG", layer, len(a), [sum(v[i] for v in a.values()) for i in range(3)], sum(v[0] for v in b.values())))
    for k in sorted(set(a) | set(b)):
        if a.get(k) != b.get(k):
            print("# %s: counted %s, rows %s, %s" % (" ".join(k), a.get(k), b.get(k), names.get(k[0])))
END

told()
{
	local line

	line=$(sed -n "s/^\(ok\|WRONG\) $2: /\1 /p" "$1.sums")
	echo "$line"
	[ "${line%% *}" = ok ]
}

mkdir data
both=(-e "layers,fs,ds,exec" --extra-ops -m 16384)
check 'recorded beside rows' record both "${both[@]}" -- sh -c 'python3 "$0" data && dd if=data/file of=data/direct bs=64k oflag=direct && cp data/file data/copy && sync -f data' "$tests_dir/live/traced/layers.py"
# a completion that interrupts what the kernel hides from tracing is seen by neither: see sched.sh
check 'no call was lost' [ "$(cells both lost stream | grep -cv '^ds$')" = 0 ]
python3 sums.py both '' >both.sums
sed -n 's/^# /both: /p' both.sums | head -8
check 'system calls: each count is that of the rows' told both SYSCALL
check 'file systems: and so it is, of writes' told both VFS
if [ "$(n_rows both ds)" = 0 ]; then
	skip "what $tmp is on has no requests of its own"
else
	check 'devices: each count is that of the rows, by owner and class' told both BLOCK
fi

# what a flusher thread carries is the last one's who wrote to the file, each on a CPU of its own; so much that those
# of its requests that begin with what others wrote beside it are few: requests have up to 4 MiB
cat >turns.py <<'END'
import os, sys
cpus = sorted(os.sched_getaffinity(0))
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.sched_setaffinity(0, cpus[:1])
size = 1 << 20
for i in range(30):
    os.pwrite(fd, b"a" * size, i * size)
child = os.fork()
if not child:
    os.sched_setaffinity(0, cpus[-1:])
    os.pwrite(fd, b"b" * size, 30 * size)
    os._exit(0)
os.waitpid(child, 0)
os.pwrite(fd, b"a" * size, 31 * size)
print(os.getpid(), child)
END
# counted alone, one after the other in one trace
mkdir lower upper work merged
over='' old=''
if [ "$LIVE_TIER" != a ]; then
	skip 'overlayfs: what reaches file systems is counted in tier a alone'
elif mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged 2>said; then
	over=1
	undo()
	{
		umount "$tmp/merged"
	}
else
	skip "overlayfs: $(cat said)"
fi
# a 32-bit program has other numbers for its calls, and other registers for what it gives them
if ! old=$(program conform_32 -m32 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie) || ! "$old" "$tmp/f32"; then
	skip 'no 32-bit programs here'
	old=''
fi
{
	[ -z "$over" ] || echo 'over dd if=/dev/zero of=merged/f bs=4096 count=61 conv=fsync status=none'
	echo "load python3 $tests_dir/live/traced/layers.py data"
	echo 'pids python3 turns.py data/turns && sync -f data'
	# each second that a count went up in has a row
	echo 'each cat data/file >data/new; sleep 2.2; cat data/file >data/new'
	[ -z "$old" ] || echo "old $old $tmp/f32"
} >lines
check 'recorded alone' record_steps alone "${counts[@]}" -e layers,exec <lines
check 'what was recorded ended well' [ "$(sort -u ./*.status)" = 0 ]

# a file system on top of another: a call reaches both, and the device once
if [ -n "$over" ]; then
	counts()
	{
		cells alone layers command,layer,operation,class,count,bytes | awk -F'\t' -v layer="$1" -v class="$2" \
			'$1 == "dd" && $2 == layer && $3 == "WRITE" && (class == "" || $4 == class) { n += $5; b += $6 } END { print n + 0, b + 0 }'
	}
	check "overlayfs: 61 calls ($(counts SYSCALL ''))" [ "$(counts SYSCALL '')" = '61 249856' ]
	check "overlayfs: each reaches two file systems ($(counts VFS ''))" [ "$(counts VFS '')" = '122 499712' ]
	block=$(counts BLOCK data)
	check "overlayfs: and the device once ($block)" [ "${block#* }" = 249856 ]
fi

python3 sums.py alone data/told >alone.sums
for kind in READ WRITE SYNC errors; do
	check "alone: $kind of a program that counts itself" told alone "told $kind"
done
check 'alone: no other rows' [ ! -e alone/fs ]
check 'alone: amplification is told, and from what' eval '"$IOTRACER" amp alone >said 2>&1; grep -q "from counters" said'
calls=$(awk '$2 == "WRITE" { print $3 }' data/told)
found=$("$IOTRACER" amp alone --by process --csv -q | python3 "$tests_dir/readers/column.py" --sum sys_writes "pid=$(awk 'NR == 1 { print $1 }' data/told)")
check "alone: amplification has its writes ($calls of $found)" [ "$found" -ge "$calls" -a "$found" -le $((calls + 2)) ]
check 'alone: no table of files' eval '! "$IOTRACER" amp alone --by file >said 2>&1 && grep -q "record with -e fs,ds,exec" said'

# carried PID: bytes of data that devices got for it
carried()
{
	cells alone layers pid,layer,operation,class,bytes |
		awk -F'\t' -v pid="$1" '$1 == pid && $2 == "BLOCK" && $3 == "WRITE" && $4 == "data" { n += $5 } END { print n + 0 }'
}
read -r parent child <pids.out
if [ "$(n_rows both ds)" = 0 ]; then
	skip "what $tmp is on has no requests of its own"
else
	check "alone: the last who wrote has the file's bytes ($(carried "$parent"))" [ "$(carried "$parent")" -ge $((24 << 20)) ]
	equal 'alone: and the one before has none' 0 "$(carried "$child")"
	# where they are not: who else has them, and what was lost
	[ "$(carried "$parent")" -ge $((24 << 20)) ] || {
		cells alone layers command,pid,layer,operation,class,count,bytes | grep BLOCK
		cells alone lost stream,reason,count
	} | sed 's/^/# /'
fi

# one row of a count at the end
check 'at the end alone' record end "${counts[@]}" -e layers --layers-interval 0 -- sh -c 'cat data/file >data/new; sleep 1.2; cat data/file >data/new'
check 'at the end alone: one time' [ "$(cells end layers mono_ns | sort -u | wc -l)" = 1 ]
check 'each second: more than one time' [ "$(cells alone layers command,mono_ns | grep '^cat	' | sort -u | wc -l)" -gt 1 ]
if [ -n "$old" ] && { [ "$LIVE_TIER" = a ] || grep -q CALLS_RAW alone/manifest.json; }; then
	equal 'alone: what a 32-bit program writes' '1 3' "$(cells alone layers command,layer,operation,count,bytes |
		awk -F'\t' '$1 == "conform_32" && $2 == "SYSCALL" && $3 == "WRITE" { print $4, $5 }')"
fi
