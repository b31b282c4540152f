#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One process waits for a lock that another one has: how long it waited, for whom, and what files says of it.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'no python3'
cat >locks.py <<'END'
import ctypes, fcntl, os, struct, time

def named(name):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)

def until_waiting():
    """Somebody waits for a lock of this process or of its open file."""
    file = os.stat("locked").st_ino
    while not any(" -> " in line and ":%d " % file in line for line in open("/proc/locks")):
        time.sleep(0.01)
    time.sleep(0.2)

fd = os.open("locked", os.O_RDWR | os.O_CREAT)
r, w = os.pipe()
if os.fork() == 0:
    named("holder")
    mine = os.open("locked", os.O_RDWR)
    fcntl.flock(mine, fcntl.LOCK_EX)
    os.write(w, b"x")
    fcntl.fcntl(mine, 38, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 4096, 100, 0))  # F_OFD_SETLKW
    until_waiting()
    fcntl.flock(mine, fcntl.LOCK_UN)
    until_waiting()
    os._exit(0)
named("waiter")
os.read(r, 1)
started = time.monotonic()
fcntl.flock(fd, fcntl.LOCK_EX)
first = time.monotonic()
# of this process: the other one has bytes 4096 to 4195, and so has its open file until it ends
fcntl.lockf(fd, fcntl.LOCK_EX, 10, 4190)
second = time.monotonic()
print(int((first - started) * 1e9), int((second - first) * 1e9))
fcntl.lockf(fd, fcntl.LOCK_UN, 10, 4190)
os.wait()
END
record trace -e fs,sched -- "$(python_path)" locks.py >waited
check 'recorded' [ $? = 0 ]
check 'nothing was lost' no_loss trace
read -r first second <waited

# took COMMAND FLAGS SIZE OFFSET: nanoseconds of the one call
took()
{
	cells trace fs operation,command,flags,size,offset,latency_ns | awk -F'\t' -v row="LOCK	$1	$2	$3	$4	" '
		index($0, row) == 1 { print $6 }'
}

# as_long SAW WAITED: it waits 200 ms at the least, and the call is a part of what the program saw
as_long()
{
	[ "$1" -ge 200000000 ] && [ "$1" -le "$2" ]
}
check "flock: its wait ($(took waiter LOCK_EX 0 '') of $first)" as_long "$(took waiter LOCK_EX 0 '')" "$first"
check "fcntl: its range and wait ($(took waiter 'F_SETLKW|F_WRLCK' 10 4190) of $second)" as_long "$(took waiter 'F_SETLKW|F_WRLCK' 10 4190)" "$second"
check 'a lock of an open file, with its range' [ -n "$(took holder 'F_OFD_SETLKW|F_WRLCK' 100 4096)" ]
# not what was given back
expected=$(cells trace fs operation,flags,latency_ns | awk -F'\t' '
	$1 == "LOCK" && $2 !~ /UN/ { n++; waits += $3 >= 1000000; sum += $3; most = $3 > most ? $3 : most }
	END { printf "%d %d %.0f %.0f", n, waits, sum, most }')
equal 'files: locks, those that waited, their time, the longest' "$expected" "$("$IOTRACER" files trace -q --csv --path "$tmp/locked" |
	column locks,lock_waits,lock_ns,lock_max_ns)"
check 'why: the one who had it' eval '"$IOTRACER" why trace -q --path "$tmp/locked" | grep -qE "^ *[0-9.]+ms .* LOCK +waiter \([0-9]+\) +holder"'
check 'report: lock-wait' eval '"$IOTRACER" report trace -q --section findings --csv | grep -q "^lock-wait,.*waiter"'

# the word that stands for it
record chosen -e fs --operation @lock -- "$(python_path)" locks.py >waited
equal 'record --operation @lock: nothing else' LOCK "$(cells chosen fs operation | sort -u)"
equal 'and all of them' "$(cells trace fs operation | grep -c LOCK)" "$(n_rows chosen fs)"
