#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer fio` of programs that have requests in flight: AIO (which tier a alone sees) and io_uring.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-fio.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-fio.sh"

# load NAME ENGINE: reads and writes of 4 KiB all over a file, 8 at once, with syncs between them
load()
{
	fio --create_only=1 --name="$1" --filename="$tmp/$1.file" --size=1M --output=layout.out &&
		record "$1" -e fs,iouring -m 4096 -- fio --name="$1" --filename="$tmp/$1.file" --size=1M --rw=randrw --bs=4k --io_size=512k \
			--ioengine="$2" --iodepth=8 --direct=1 --fsync=20 --output="$1.fio"
}

# fio's own count: it ends without reaping its last requests, and what is not reaped has no row
issued() # NAME CALL
{
	local rows

	rows=$(cells "$1" fs operation,call,filename | awk -F '\t' -v call="$2" '$2 == call { n[$1]++ } $1 == "FSYNC" && $3 ~ /file$/ { syncs++ }
		END { print "total=" n["READ"] "," n["WRITE"] ",0," syncs }')
	grep issued "$1.out" && echo "$rows" && grep -q "issued rwts: $rows " "$1.out"
}

# loop NAME ENGINE CALL
loop()
{
	check "$2: recorded" load "$1" "$2"
	check "$2: repeated by fio" repeated "$1" fs,iouring
	check "$2: as many reads, writes and syncs" issued "$1" "$3"
	# requests in flight have no order, and the last ones may not be reaped; a worker of io_uring that syncs opens the file itself
	check "$2: counts, bytes and sizes of each file are as before, or nearly" as_before "$1" "$1" "$1.again" small opens rewrites sync_gaps \
		sequential_read_bytes sequential_write_bytes read_runs write_runs
	check "$2: with its options" options "$1" "$2"
	check "$2: what fio had in flight" depth "$1.again" "$3"
}

options()
{
	grep -A 9 "^ioengine=$2" "$1.jobs/replay.fio" | paste -sd' ' | grep -Eq 'iodepth=[2-8] direct=1'
}

# some began before the one before them had ended
depth()
{
	cells "$1" fs mono_ns,latency_ns,call,operation | awk -F '\t' -v call="$2" '$3 == call && $4 ~ /^(READ|WRITE)$/ { n++; at_once += $1 < end; end = $1 + $2 }
		END { print at_once " of " n; exit at_once < 2 }'
}

if [ "$LIVE_TIER" = a ]; then
	loop aio libaio aio
else
	unseen()
	{
		load aio libaio && jobs aio aio; "$IOTRACER" fio -q aio -o said.jobs --into said.scratch; grep '^;' said.jobs/replay.fio
		grep -Eq '^; not recorded: .*READ \(aio\).*WRITE \(aio\)' said.jobs/replay.fio
	}
	check 'AIO is not seen in this tier: the head of the jobs says so' unseen
fi
if [ "$LIVE_TIER" != c ] && [ -z "$(uring_forbidden)" ] &&
	fio --ioengine=io_uring --name=probe --size=4k --filename="$PWD/probe" --rw=write --output=/dev/null >/dev/null 2>&1; then
	loop ring io_uring io_uring
else
	echo 'SKIP: io_uring: none can be made here, or offsets are not known'
fi
