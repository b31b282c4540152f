#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a call moves counts everywhere alike: a file that sendfile copies to another one has been read and
# the other written, and a ring's requests are calls as others are, in every tier. The closing lines of
# the recording, files, report, amp, the counts of layers and top, beside what stat and fio say.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'python3 is not installed'
dd if=/dev/urandom of=from bs=1M count=3 status=none || exit
cat >program.py <<'END'
import os, socket
a, b = os.open("from", os.O_RDONLY), os.open("to", os.O_WRONLY | os.O_CREAT, 0o600)
while os.sendfile(b, a, None, 1 << 20):
    pass
here, there = socket.socketpair()
assert os.sendfile(here.fileno(), a, 0, 1000) == 1000
END
ring() { fio --name=x --filename="$tmp/ring" --size=2m --rw=write --bs=64k --fsync=16 --ioengine=io_uring --iodepth=4 --thread; }
rings=
if ! uring_forbidden >why && command -v fio >/dev/null && ring >fio.log 2>&1; then
	rings=1
	rm ring
fi
declare -f ring >ring.sh
printf 'tmp=%q; python3 program.py\n' "$tmp" >run.sh
[ -z "$rings" ] || printf '. ./ring.sh; ring >fio.log\n' >>run.sh
check 'recorded' record d -e fs,iouring -m 4096 -- bash run.sh

# column DIR-COMMAND... KEY NAME: the cell of that column in the row that has KEY
cell()
{
	python3 "$tests_dir/readers/effects_checks.py" sum_of "$1" "$2"
}
is()
{
	echo "$1, wanted $2"
	[ "$1" = "$2" ]
}
of_files() { is "$("$IOTRACER" files d --csv 2>/dev/null | cell "$tmp/$1" "$2")" "$3"; }
of_report() { is "$("$IOTRACER" report d --section files --csv 2>/dev/null | cell "$tmp/$1" "$2")" "$3"; }
of_amp() { is "$("$IOTRACER" amp d --by file --csv 2>/dev/null | cell "$tmp/$1" "$2")" "$3"; }
# Of a process that may have files of its own
of_process() { [ "$("$IOTRACER" report d --section processes --csv 2>/dev/null | cell "$1" "$2")" -ge "$3" ]; }

size=$(stat -c %s to)
check 'files: sendfile has written its target' of_files to write_bytes "$size"
check 'files: and read its source, for a socket, too' of_files from read_bytes $((size + 1000))
check 'report: the target' of_report to write_bytes "$size"
check 'report: the process' of_process python3 write_bytes "$size"
check 'amp: the target' of_amp to sys_write_bytes "$size"
check 'amp: the source' of_amp from sys_read_bytes $((size + 1000))
check 'record: the target is one of the busiest' grep -q "0 read, 3.0M written: $tmp/to" d.log
counted() { is "$(cells counts layers command,layer,operation,bytes | awk -F'\t' '$1 == "python3" && $2 == "SYSCALL" && $3 == "WRITE" { n += $4 } END { print n + 0 }')" "$size"; }
rm to
[ "$LIVE_TIER" = c ] || { record counts -e layers -- python3 program.py && check 'layers: the process' counted; }
# one table, when the program ends: it may begin late
of_top() { "$IOTRACER" top "${tier_options[@]}" --batch 1 --interval 60s -e fs -- python3 program.py 2>/dev/null | awk -v file="$tmp/to" '$NF == file { print; found = $2 == 0 && $4 > 0 } END { exit !found }'; }
rm -f to
check 'top: the target' of_top

if [ -z "$rings" ]; then
	skip 'no rings here'
	exit
fi
requests=$(cells d iouring event_type,opcode,filename,result | awk -F'\t' -v file="$tmp/ring" '$1 == "COMPLETE" && $2 ~ /^WRITE/ && $3 == file { n += $4 } END { print n + 0 }')
syncs=$(cells d iouring event_type,opcode,filename | awk -F'\t' -v file="$tmp/ring" '$1 == "COMPLETE" && $2 == "FSYNC" && $3 == file { n++ } END { print n + 0 }')
check 'a ring has written' [ "$requests" -ge $((2 << 20)) ]
check 'files: what a ring wrote' of_files ring write_bytes "$requests"
# in tier a, syncs of rings pass no function that is traced
check 'files: and synced' of_files ring syncs "$syncs"
check 'report: the file' of_report ring write_bytes "$requests"
check 'report: the process' of_process fio write_bytes "$requests"
check 'amp: the file' of_amp ring sys_write_bytes "$requests"
check 'record: it is one of the busiest' grep -q " written: $tmp/ring" d.log
not_missing() { ! "$IOTRACER" files d 2>&1 | grep 'not recorded' | grep io_uring; }
check 'nothing of this is said to be missing' not_missing
