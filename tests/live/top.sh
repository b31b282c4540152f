#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer top: its tables are what real programs did in each interval.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'

# top OPTION...: tables go to standard output, messages to the file said
top()
{
	"$IOTRACER" top "${tier_options[@]}" "$@" 2>said
}


cat >program.py <<'END'
import os, time
fd = os.open("data", os.O_RDWR | os.O_CREAT)
began = last = time.monotonic()
gap = 0
while time.monotonic() < began + 3.2:
    gap, last = max(gap, time.monotonic() - last), time.monotonic()
    os.pwrite(fd, b"x" * 4096, 0)
    try:
        os.open("absent", os.O_RDONLY)
    except FileNotFoundError:
        pass
    time.sleep(0.01)
# how long it took, and the longest that the machine stood still for it, in milliseconds
print(int(1000 * (time.monotonic() - began)), int(1000 * gap), file=open("pace", "w"))
END

top -e fs --batch 2 -- python3 program.py >tables
check 'so many tables, and the command ends in peace' [ "$? $(grep -c 'own CPU' tables)" = '0 2' ]
# a device by its name, as others call it
devices()
{
	local name

	name=$(df --output=source . | sed -n '2s,.*/,,p')
	[ -b "/dev/$name" ] || return 77
	top -e ds --view devices --batch 2 --interval 500ms -- dd if=/dev/zero of=direct bs=64k count=400 oflag=direct >tables 2>/dev/null
	cat tables
	! grep -E ' [0-9]+:[0-9]+$' tables && grep -qw -- "$(basename "$(readlink -f "/sys/class/block/$name/..")" | grep -v block || echo "$name")\|$name" tables
}
check 'devices have their names' devices

began=${EPOCHREALTIME/./}
top -e fs -- bash -c 'began=${EPOCHREALTIME/./}; python3 program.py; echo $(((${EPOCHREALTIME/./} - began) / 1000)) >took' >tables
n=$(grep -c 'own CPU' tables) all=$(((${EPOCHREALTIME/./} - began) / 1000))
read -r took <took
read -r _ gap <pace
check "a table a second until the command ends: $n in $took of $all ms" sh -c '[ "$1" -ge 2 ] && [ "$1" -le $(($2 / 1000 + 3)) ]' - "$n" "$took"
[ "$gap" -ge 300 ] || check 'and none is left out' [ "$n" -ge 3 ]
check 'its line tells of losses and of the own cost' sh -c '[ "$(grep -c "operations/s: [0-9]*  lost: 0  own CPU: [0-9.]*%$" tables)" = "$(grep -c "own CPU" tables)" ]'
check 'rates are those of the program' python3 "$tests_dir/readers/top_checks.py" rates
top -e fs --view processes --sort errors -n 1 -- python3 program.py >tables
check 'processes by errors, one of them' sh -c 'grep -q "  [0-9]* python3$" tables && [ "$(wc -l <tables)" -le $((4 * $(grep -c "own CPU" tables))) ]'
top -e fs --view layers --interval 100ms --batch 5 >tables
check 'without a command: ends after its tables, status 0' [ "$? $(grep -c 'own CPU' tables)" = '0 5' ]
top -e fs -- sh -c 'echo x >short' >tables
check 'a command that is over at once has a table, too' sh -c 'grep -q "/short$" tables && [ "$(grep -c "own CPU" tables)" = 1 ]'
top -e fs -- sh -c 'exit 7' >tables
check 'status of a command that failed' [ $? = 7 ]
top --view nonsense >tables
check 'wrong usage: status 2' [ $? = 2 ]
check 'wrong usage: one message' one_message said
top -e fs --interval 100ms -- python3 program.py | head -1 >tables
check 'closed pipe: quiet, status 0' [ "${PIPESTATUS[0]} $(wc -c <said)" = '0 0' ]
top -e fs -- sh -c 'echo x >x' >/dev/full
check 'full disk: status 1' [ $? = 1 ]
check 'full disk: one message' one_message said

# ---- the same as in the rows of a recording ----

cat >fixed.py <<'END'
import os, socket
for name, n in (b"plain", 211), (b'a,"b" \xf0\x9f\x98\x80', 31), (b"bad\xff\x1b", 7):
    fd = os.open(name, os.O_RDWR | os.O_CREAT)
    for i in range(n):
        os.pwrite(fd, b"x" * 1009, i)
        os.pread(fd, 499, 0)
    os.fsync(fd)
    os.close(fd)
    for i in range(n):
        try:
            os.open(name + b"-absent", os.O_RDONLY)
        except OSError:
            pass
with socket.socket() as listener:
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    with socket.create_connection(listener.getsockname()) as client:
        peer, _ = listener.accept()
        for i in range(37):
            client.sendall(b"x" * 1009)
            peer.recv(1009, socket.MSG_WAITALL)
        peer.close()
END
# itself, not what starts it on some systems
python=$(python_path)
"$python" fixed.py
record fixed -m 1024 -e fs,nw -- "$python" fixed.py >printed
for view in files processes layers connections latency; do
	top -m 1024 -e fs,nw --view $view -n 0 --csv -- "$python" fixed.py >$view.csv
done
cat >agree.py <<'END'
import csv, glob, os, sys
def rows(stream):
    for name in sorted(glob.glob("fixed/%s/*.csv" % stream)):
        with open(name, newline="", errors="surrogateescape") as f:
            yield from csv.DictReader(f)
def sums(view, key):
    total = {}
    with open(view + ".csv", newline="", errors="surrogateescape") as f:
        for r in csv.DictReader(f):
            assert r["lost"] == "0", r
            t = total.setdefault(key(r), [0] * 6)
            for i, c in enumerate(("operations", "reads", "read_bytes", "writes", "write_bytes", "errors")):
                t[i] += int(r[c])
    return total
def add(total, key, row, read, write, size, failed):
    t = total.setdefault(key, [0] * 6)
    for i, n in enumerate((1, read, size if read else 0, write, size if write else 0, failed)):
        t[i] += n
files, processes, layers, connections, kinds = {}, {}, {}, {}, {}
for r in rows("fs"):
    if r["operation"].startswith("DIO_"):
        continue
    result = int(r["return_value"])
    what = (r["operation"] == "READ", r["operation"] == "WRITE", max(result, 0), result < 0)
    if r["filename"]:
        add(files, (r["mntns"], r["filename"]), r, *what)
    add(processes, r["command"], r, *what)
    add(layers, "fs", r, *what)
    add(kinds, "fs " + r["operation"], r, *what)
for r in rows("nw"):
    result = int(r["return_value"])
    what = (r["direction"] == "receive", r["direction"] == "send", max(result, 0), result < 0)
    add(processes, r["command"], r, *what)
    add(layers, "nw", r, *what)
    add(connections, r["direction"], r, *what)
    add(kinds, "nw " + r["direction"], r, *what)
def same(view, got, wanted):
    if got != wanted:
        sys.exit("%s: %r" % (view, {k: (got.get(k), wanted.get(k)) for k in {*got, *wanted} if got.get(k) != wanted.get(k)}))
names = tuple(os.getcwd() + "/" + n for n in ("plain", "a,", "bad"))
mine = lambda files: {k: v for k, v in files.items() if k[1].startswith(names)}
assert len(mine(files)) == 6, mine(files)
same("files", mine(sums("files", lambda r: (r["mntns"], r["name"]))), mine(files))
# pids are others in each run, ports too
same("processes", sums("processes", lambda r: r["name"].split(" ", 1)[1]), processes)
same("layers", sums("layers", lambda r: r["name"]), layers)
same("latency", sums("latency", lambda r: r["name"]), kinds)
ends = sums("connections", lambda r: "send" if r["writes"] != "0" else "receive")
assert ends == connections and all(r.startswith("TCP 127.0.0.1:") for r in sums("connections", lambda r: r["name"])), (ends, connections)
END
check 'what is added up while it happens is what the rows of a recording are' python3 agree.py

# sums in the kernel come each second, and are no operations
sums()
{
	top -e fs,layers --view layers --batch 3 -- python3 program.py >tables &&
		[ "$(grep -c 'own CPU' tables)" = 3 ] && grep -q '  fs$' tables && ! grep -q '  layers$' tables
}

check 'counters are no operations' sums

# devices and rings, against what fio says that it did; direct requests are not split, and with gaps between them not merged
busy()
{
	top -m 4096 -e ds,iouring --view "$1" -n 0 --csv -- fio --name=x --filename="$tmp/direct" --size=4m --rw=randrw --bs=4k --norandommap --blockalign=8k \
		--ioengine=io_uring --iodepth=8 --direct=1 --output=fio.json --output-format=json >"$1.csv" || return
	python3 "$tests_dir/readers/top_checks.py" as_fio "$1"
}
if ! command -v fio >/dev/null || uring_forbidden >/dev/null; then
	skip 'rings and devices: need fio and io_uring'
elif ! fio --name=probe --filename="$tmp/direct" --size=4m --rw=write --ioengine=io_uring --direct=1 --output=/dev/null >/dev/null 2>&1; then
	skip 'rings and devices: no direct requests with io_uring here'
else
	check 'rings: requests and bytes are those of fio' busy rings
	check 'devices: all of them reach a device' busy devices
fi

# ---- what it costs ----

# its line has it, and a machine at rest costs next to nothing
cheap()
{
	top -e fs --batch 3 -- sleep 4 >tables && [ "$(sed -n 's/.*own CPU: \([0-9]*\)\.[0-9]%$/\1/p' tables | sort -n | head -1)" -le 2 ]
}

check 'without operations it uses next to nothing' cheap
check 'no probe is left' no_probe_left
