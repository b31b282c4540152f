#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer amp of real programs: direct I/O against what the kernel charges the process with, a
# database by its rule, and all sums against the rows, counted without the tracer.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

for tool in jq python3 sqlite3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done

cat >direct.py <<'END'
import mmap, os
page = mmap.mmap(-1, 16384)
fd = os.open("data", os.O_RDWR | os.O_CREAT | os.O_DIRECT)
for i in range(64):
    assert os.pwrite(fd, page, i * 16384) == 16384
def charged():
    return dict(line.split(": ") for line in open("/proc/self/io").read().splitlines())
before = int(charged()["read_bytes"])
for i in range(64):
    assert os.preadv(fd, [memoryview(page)[:4096]], i * 16384) == 4096
io = charged()
print(os.getpid(), int(io["read_bytes"]) - before, io["read_bytes"], io["write_bytes"], file=open("charged", "w"))
END
cat >sums.py <<'END'
import csv, glob, json, subprocess, sys
tracer, dir = sys.argv[1:]
run = lambda *o: subprocess.run([tracer, "amp", dir, "-q", *o], check=True, stdout=subprocess.PIPE).stdout.decode()
want = {}
times = {}
def add(pid, cell, bytes, ns):
    if ns:
        times.setdefault(cell, []).append(int(round(float(ns))))
    row = want.setdefault(int(pid), {})
    row[cell + "s"] = row.get(cell + "s", 0) + 1
    row[cell + "_bytes"] = row.get(cell + "_bytes", 0) + max(bytes, 0)
for name in glob.glob(dir + "/fs/*.csv"):
    for r in csv.DictReader(open(name, errors="surrogateescape")):
        if r["operation"] in ("READ", "WRITE") and r["call"] and r["filename"].startswith("/") and not r["filename"].startswith("/dev/"):
            add(r["pid"], "sys_" + r["operation"].lower(), int(r["return_value"] or 0), r["latency_ns"])
for name in glob.glob(dir + "/ds/*.csv"):
    for r in csv.DictReader(open(name)):
        if r["operation"] in ("read", "write"):
            # a journal is written for who waits for its commit
            add(r["owner_pid"] or r["pid"], "blk_" + r["operation"], int(r["size"]), r["latency_ms"] and float(r["latency_ms"]) * 1e6)
rows = list(csv.DictReader(run("--by", "process", "--csv").splitlines()))
sums = {}
for r in rows:
    for k, v in r.items():
        if k.startswith(("sys_", "blk_")) and v and not k.endswith("_ns"):
            sums.setdefault(int(r["pid"] or 0), {}).setdefault(k, 0)
            sums[int(r["pid"] or 0)][k] += int(v)
assert want and len(want) == len(sums), (len(want), len(sums))
for pid, cells in want.items():
    for k in "sys_reads", "sys_writes", "sys_read_bytes", "sys_write_bytes", "blk_reads", "blk_writes", "blk_read_bytes", "blk_write_bytes":
        assert sums[pid][k] == cells.get(k, 0), (pid, k, sums[pid][k], cells.get(k, 0))
# percentiles of all: a 32nd too high at most
host = next(csv.DictReader(run("--by", "host", "--csv").splitlines()))
for cell, ns in times.items():
    ns.sort()
    for per_cent in 50, 95, 99:
        want_ns, got = ns[(len(ns) * per_cent + 99) // 100 - 1], int(host["%s_p%d_ns" % (cell, per_cent)])
        assert want_ns <= got <= want_ns * 33 // 32 + 1, (cell, per_cent, want_ns, got)
# intervals and devices divide what there is
for by in ["--by", "host", "--interval", "10ms"], ["--by", "device"]:
    parts = list(csv.DictReader(run("--csv", *by).splitlines()))
    assert len(parts) > 1 or by[1] == "device"
    for k in host:
        if k.startswith(("sys_", "blk_")) and not k.endswith("_ns"):
            assert sum(int(p[k]) for p in parts) == int(host[k]), (by, k)
    assert "time" not in parts[0] or [p["time"] for p in parts] == sorted(p["time"] for p in parts)
exact = json.loads(run("--by", "process", "--json"))["amplification"]
assert len(exact) == len(rows)
for j, r in zip(exact, rows):
    for k, v in j.items():
        assert (v is None) == (r[k] == "") and (v is None or str(v) == r[k] or float(r[k]) == v), (k, v, r[k])
END

# cell DIR NAME COLUMN [OPTION]...: of the row of that name, or of all rows of that process
cell()
{
	local dir=$1 name=$2 column=$3 cells

	shift 3
	cells=$("$IOTRACER" amp "$dir" --csv -q "$@" 2>/dev/null | column "$column" "=$name")
	[ "$(grep -c "" <<<"$cells")" = 1 ] || cells=$(awk '{ n += $1 } END { printf "%d", n }' <<<"$cells")
	echo "$cells"
}

record trace -m 1024 -e fs,ds,exec -- sh -c 'python3 direct.py && sqlite3 db "create table a(x);
	insert into a values(1); insert into a values(2); insert into a values(3)"'
check 'recorded' [ $? = 0 ]
check 'nothing was lost' no_loss trace
if [ "$(n_rows trace ds)" = 0 ]; then
	skip "what $tmp is on has no requests of its own"
elif [ -s charged ]; then
	read -r pid direct reads writes <charged
	check 'direct writes: devices wrote each byte once' [ "$(cell trace "$pid" blk_data_bytes --by process)" = 1048576 ]
	# what is dirtied is charged, too, when it is: pages of the directory and of the last file
	check "direct writes: and the kernel charges them ($writes)" [ "$writes" -ge 1048576 -a "$writes" -le 1114112 ]
	# a library is read, too, when it is not in the page cache, and sometimes by whom another waited for
	read_bytes=$(cell trace "$pid" blk_read_bytes --by process)
	check "direct reads: devices read what the kernel charges ($direct of $reads: $read_bytes)" \
		[ "$direct" = 262144 -a "$read_bytes" -ge 262144 -a "$read_bytes" -le $((reads + 1048576)) ]
	device=$("$IOTRACER" files trace -q --csv --path "$tmp/data" | column device)
	name=$(jq -r --arg d "$device" '(.devices[] | select(.device == $d) | .disk) as $disk | .devices[] | select(.device == $disk) | .name' trace/manifest.json)
	[ -z "$name" ] || check "by device: calls and requests of $name" [ "$(cell trace "$name" sys_write_bytes --by device)" -ge 1048576 -a "$(cell trace "$name" blk_write_bytes --by device)" -ge 1048576 ]
	check 'a request has a time' [ "$(cell trace python3 blk_write_mean_ns --by comm)" -gt 0 ]
fi
check 'calls of the program' [ "$(cell trace "$(cut -d' ' -f1 charged)" sys_writes --by process)" -ge 64 ]
check 'sqlite3 is a system, by the installed rules' [ "$(cell trace SQLite sys_writes)" -gt 5 ]
check 'python3 is none' [ "$(cell trace others sys_write_bytes)" -ge 1048576 ]
check 'sums are those of the rows, and JSON those of CSV' python3 sums.py "$IOTRACER" trace
vfs=$(cell trace SQLite vfs_writes)
if [ "$LIVE_TIER" = a ]; then
	check 'operations of file systems are counted' [ "$vfs" -gt 0 ]
else
	check 'operations of file systems are not known' [ -z "$vfs$(cell trace SQLite write_amp)" ]
	check 'and that is said' sh -c '"$1" amp trace | grep -q "counted in tier a alone"' - "$IOTRACER"
fi
check 'text: why' sh -c '"$1" amp trace | grep -q "^SQLite: .*a sync for each [0-9.]* writes"' - "$IOTRACER"

printf '# mine\nMine */python3*\nMine python3\n' >rules
check 'own rules come first' [ "$(cell trace Mine sys_write_bytes --rules rules)" -ge 1048576 ]
mkdir -p home/.config/iotracer
printf 'House sqlite3\n' >home/.config/iotracer/systems.conf
check "then the user's" [ "$(HOME=$PWD/home cell trace House sys_writes)" -gt 5 ]
printf 'fine x\nalone\n' >rules
"$IOTRACER" amp trace --rules rules >out 2>said
check 'a rule that is none: status 1' [ $? = 1 ]
check 'a rule that is none: its line' grep -q 'rules:2' said
check 'a rule that is none: one message' one_message said

# a file that is saved three times by moving a new one over it, one that stays in the page cache, and one that is removed
cat >saves.py <<'END'
import os
for i in range(3):
    with open("doc.tmp", "wb") as f:
        f.write(os.urandom(1 << 20)); f.flush(); os.fsync(f.fileno())
    os.rename("doc.tmp", "doc")
for name in "late", "gone":
    with open(name, "wb", buffering=0) as f:
        for i in range(39):
            f.write(os.urandom(1 << 20))
os.unlink("gone")
a, b = os.open("doc", os.O_RDONLY), os.open("small", os.O_RDWR | os.O_CREAT, 0o600)
while os.sendfile(b, a, None, 1 << 20):
    pass
os.fsync(b)
END
record saves -e fs,ds -m 4096 -- python3 saves.py
if [ "$(n_rows saves ds)" != 0 ]; then
	check 'a file saved by moving a new one over it is one file' [ "$(cell saves "$tmp/doc" sys_write_bytes --by file)" = $((3 << 20)) ]
	# tier c does not know the file of each request
	[ "$LIVE_TIER" = c ] || check 'with what devices wrote of it' [ "$(cell saves "$tmp/doc" blk_data_bytes --by file)" -ge $((3 << 20)) ]
	check 'and the name that it was written under is none' [ -z "$("$IOTRACER" amp saves --by file --csv -q | grep 'doc\.tmp')" ]
	"$IOTRACER" amp saves --by comm >out
	check 'the empty read at the end of a copy is no small write' sh -c '! grep "^python3: .*below 4.0K" out'
fi
if [ "$(cells saves ds operation,cause,filename | awk -F'\t' '$1 == "write" && $2 !~ /journal|metadata/ { n += $3 == "" } END { print n + 0 }')" != 0 ]; then
	skip 'what waits in the page cache: some requests have no file'
elif [ "$(n_rows saves ds)" != 0 ]; then
	check 'what is not yet written back is said' grep -Eq '^python3: 39\.[01]M not yet written back' out
	check 'and no verdict on it' sh -c 'awk "/W_BYTES/ { table = 1 } table && \$NF == \"python3\" { print; exit !(\$6 == \"-\" && \$8 == \"-\") }" out'
	written=$("$IOTRACER" amp saves --json -q | jq '.traces[0].unwritten_bytes')
	check "in JSON, too: $written" [ "$written" -ge $((39 << 20)) -a "$written" -le $((40 << 20)) ]
	check 'report says so, too' sh -c '"$1" report saves | grep "^amplification: .*[0-9]M of what was written had not reached them"' - "$IOTRACER"
fi
"$IOTRACER" amp trace >out
check 'no verdict on less than 1 MiB' sh -c 'awk "/W_BYTES/ { table = 1 } table && \$NF == \"SQLite\" { print; exit !(\$7 == \"-\" && \$8 == \"-\") }" out'

# the same, kept up to date meanwhile, with the rows and without them
record kept -m 1024 -e fs,ds,exec --summary=amp --summary-interval 1 -- sh -c 'python3 direct.py; sleep 1.2; sqlite3 db "insert into a values(4)"'
check 'kept up to date: what the rows tell, to the byte' sh -c '"$1" amp kept --csv -q | cmp - kept/summary/amp.csv' - "$IOTRACER"
check 'kept up to date: the directory is whole' "$IOTRACER" verify -q kept
record alone -m 1024 -e fs,ds,exec --summary=amp --no-rows -- python3 direct.py
check 'without rows: bytes written' [ "$(column --sum sys_write_bytes <alone/summary/amp.csv)" -ge 1048576 ]
"$IOTRACER" amp alone >out 2>said
check 'without rows: status 1, and where the answer is' sh -c '[ "$1" = 1 ] && grep -q "is in summary/amp.csv" said' - $?
check 'without rows: one message' one_message said
"$IOTRACER" record -o none2 --summary=amp -e fs -- true 2>said
check 'without ds: usage' [ $? = 2 ]
check 'two directories are a fleet' sh -c '"$1" amp trace trace --csv -q | grep -q ",SQLite,"' - "$IOTRACER"
check 'by host' [ "$("$IOTRACER" amp trace --by host --csv -q | wc -l)" = 2 ]
corpus only-fs
check 'without ds: said' sh -c '"$1" amp only-fs | grep -q "^ds was not recorded"' - "$IOTRACER"
check 'without exec: said' sh -c '"$1" amp only-fs | grep -q "^exec was not recorded"' - "$IOTRACER"
corpus only-exec
"$IOTRACER" amp only-exec >out 2>said
check 'neither fs nor ds: status 1' [ $? = 1 ]
check 'neither fs nor ds: one message' one_message said
"$IOTRACER" amp >out 2>said
check 'no directory: usage' [ $? = 2 ]
"$IOTRACER" amp trace --by nonsense >out 2>said
check 'unknown key: usage' [ $? = 2 ]
"$IOTRACER" amp trace nowhere >out 2>said
check 'one of two cannot be read: the other is told, and it failed' [ "$? $(grep -c SQLite out)" != '0 0' -a -s out ]
"$IOTRACER" amp trace >/dev/full 2>said
check 'full disk: status 1' [ $? = 1 ]
"$IOTRACER" amp trace 2>said | head -1 >out
check 'a pipe that is closed ends it quietly' [ ! -s said ]
