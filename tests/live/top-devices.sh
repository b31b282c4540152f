#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The devices of iotracer top are those of iostat -x on the same seconds: on a disk of its own, which is at rest when
# both begin and end their interval.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
command -v iostat >/dev/null || skip_all 'needs iostat (package sysstat)'
command -v losetup >/dev/null || skip_all 'needs losetup'
truncate -s 64M image
loop=$(losetup --show -f image 2>/dev/null) || skip_all 'has no loop devices'
undo() { losetup -d "$loop"; }

cat >load.py <<'END'
import mmap, os, sys, threading
page = mmap.mmap(-1, 65536)
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
def writes():
    for i in range(401):
        os.pwritev(fd, [page], 65536 * i)
threads = [threading.Thread(target=writes) for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
small = mmap.mmap(-1, 4096)
for i in range(1009):
    os.preadv(fd, [small], 4096 * i)
END

# measure SECONDS: an interval of all three that has the load in its middle; false where it lasted longer than that
measure()
{
	local began top long short lasted

	"$IOTRACER" top "${tier_options[@]}" -v -e ds --view devices -i "$1s" --batch 1 --csv >top.csv 2>said &
	top=$!
	pids+=("$top")
	eventually 60 grep -q 'start: all' said
	began=$(date +%s%3N)
	LC_ALL=C iostat -y -x -o JSON "$1" 1 >long.json &
	long=$!
	LC_ALL=C iostat -y -x -s -o JSON "$1" 1 >short.json &
	short=$!
	sleep 1
	"$(python_path)" load.py "$loop"
	lasted=$(($(date +%s%3N) - began))
	wait "$long"
	wait "$short"
	wait "$top"
	[ "$lasted" -lt $((1000 * $1 - 1000)) ]
}
for seconds in 4 12 40; do
	! measure $seconds || break
	echo "the load was not over in $seconds s"
done
for what in requests kilobytes queue await util name; do
	check "$what: as iostat" python3 "$tests_dir/readers/top_devices.py" "$what" "${loop##*/}"
done
check 'as text, in the same units' sh -c '"$1" top -q -e ds --view devices -i 200ms --batch 1 | sed -n 2p | grep -q "^ *R/S *W/S *RKB/S *WKB/S *AQU-SZ *AWAIT *%UTIL"' - "$IOTRACER"
