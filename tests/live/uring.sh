#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream iouring against fio's own count: each request is submitted and
# completed once, with the bytes that fio says, in three ways of using a ring.
. "$(dirname "$0")/lib.sh"

why=$(uring_forbidden) && skip_all "$why"

command -v fio >/dev/null || skip_all 'fio is not installed'
command -v jq >/dev/null || skip_all 'jq is not installed'
# 5.1 to 5.4 have functions only, and no READ
read=READ
if [ ! -d /sys/kernel/tracing/events/io_uring ]; then
	[ "$LIVE_TIER" = a ] || skip_all 'this kernel has no events of io_uring'
	read=READV
fi
fio --name=x --filename="$tmp/file" --size=2m --rw=write --bs=64k --ioengine=psync >fio.log 2>&1 ||
	skip_all 'fio cannot write here'
fio --name=x --filename="$tmp/file" --size=4k --rw=read --ioengine=io_uring >fio.log 2>&1 ||
	skip_all 'io_uring is not allowed here'

fio=(fio --name=x --filename="$tmp/file" --size=2m --rw=randread --bs=4k --ioengine=io_uring --iodepth=8 --output-format=json)
record_steps s -e iouring -m 1024 <<-END
	plain ${fio[*]} --output=plain.json
	fixed ${fio[*]} --output=fixed.json --fixedbufs=1
	registered ${fio[*]} --output=registered.json --registerfiles=1
	sqpoll ${fio[*]} --output=sqpoll.json --sqthread_poll=1
END
check 'recorded' [ $? = 0 ]

# where the kernel preempts programs (7.2 and later), it skips those that others would run meanwhile, and counts them
lost=$(lost s iouring)

# ring NAME OPCODE: as many as fio counts, but for those that are counted as lost
ring()
{
	[ "$(cat "$1.status")" = 0 ] || return
	step_cells s "$1" iouring event_type,opcode,result,filename,command |
		awk -F'\t' -v opcode="$2" -v file="$tmp/file" \
			-v ios="$(jq '.jobs[0].read.total_ios' "$1.json")" \
			-v bytes="$(jq '.jobs[0].read.io_bytes' "$1.json")" -v lost="$lost" '
			$2 != opcode { next }
			{ n[$1]++ }
			$1 == "COMPLETE" { sum += $3; named += $4 == file }
			END {
				print "fio " ios, bytes, "submitted", n["SUBMIT"] + 0, "completed", n["COMPLETE"] + 0,
					sum + 0, "named", named + 0, "lost", lost
				exit !(n["SUBMIT"] <= ios && n["COMPLETE"] <= ios &&
					2 * ios - n["SUBMIT"] - n["COMPLETE"] <= lost &&
					bytes - sum == (ios - n["COMPLETE"]) * 4096)
			}'
}

check 'requests of fio' ring plain "$read"
check 'with fixed buffers' ring fixed READ_FIXED
check 'with registered files' ring registered "$read"
check 'submitted by the kernel' ring sqpoll "$read"
