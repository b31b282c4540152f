#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream iouring: programs of liburing and one that uses it. What they ask for
# is submitted and completed once, as often as they say or their work needs.
. "$(dirname "$0")/lib.sh"

why=$(uring_forbidden) && skip_all "$why"

if [ ! -d /sys/kernel/tracing/events/io_uring ] && [ "$LIVE_TIER" != a ]; then
	skip_all 'this kernel has no events of io_uring'
fi
examples=/usr/share/doc/liburing-dev/examples
head -c 2097152 /dev/urandom >source

# example NAME: from what the package of the library brings, when make has not built it
example()
{
	[ ! -x "$builddir/tests/$1" ] || { cp "$builddir/tests/$1" "$1"; return; }
	[ -f "$examples/$1.c" ] || { echo "no $1.c: is liburing-dev installed?"; return 77; }
	"${cc[@]}" -D_GNU_SOURCE -O1 -o "$1" "$examples/$1.c" -luring >"$1.cc" 2>&1 || { tail -n 2 "$1.cc"; return 77; }
}

# ---- what can be run here, all of it in one trace ----

declare -A cannot # why, by name
: >lines

# one NAME COMMAND: as a line; what prepares it has succeeded, or says why it cannot be
one()
{
	echo "$*" >>lines
}

counts=
if why=$(example io_uring-test) && why=$(./io_uring-test source); then
	# It says: Submitted=4, completed=4, bytes=16384
	counts=$(sed -n 's/^Submitted=\([0-9]*\), completed=\1, bytes=\([0-9]*\)$/\1 0 \2/p' <<<"$why")
	echo "$why" >said
	one counts ./io_uring-test source
else
	cannot[counts]=$why
fi
for name in io_uring-cp link-cp; do
	if why=$(example $name); then
		one $name ./$name source $name.copy
	else
		cannot[$name]=$why
	fi
done
if ! command -v qemu-img >/dev/null; then
	cannot[bench]='qemu-img is not installed'
elif ! qemu-img bench -c 1 -i io_uring -f raw source >qemu.out 2>&1; then
	cannot[bench]=$(tail -n 1 qemu.out)
else
	one bench qemu-img bench -c 500 -d 8 -s 4k -i io_uring -f raw source
fi
record_steps s -e iouring -m 1024 <lines
check 'recorded' [ $? = 0 ]

# requests NAME READS WRITES BYTES: so many of each are submitted and completed, and have moved so much.
# Where a read and a write share user_data and nothing else tells (up to 5.17), it is not known which of them completed.
requests()
{
	local name=$1 reads=$2 writes=$3 bytes=$4

	[ -z "${cannot[$name]:-}" ] || { echo "${cannot[$name]}"; return 77; }
	[ "$(cat "$name.status")" = 0 ] || return
	step_cells s "$name" iouring event_type,opcode,result,sqe_flags | awk -F'\t' \
		-v reads="$reads" -v writes="$writes" -v bytes="$bytes" '
		$1 == "COMPLETE" && $2 == "" && $4 ~ /AMBIGUOUS/ { either++; sum += $3 }
		$2 !~ /^(READ|WRITE)/ { next }
		{ n[$1, substr($2, 1, 4)]++ }
		$1 == "COMPLETE" { sum += $3 }
		END {
			in_r = n["SUBMIT", "READ"] + 0; in_w = n["SUBMIT", "WRIT"] + 0
			out_r = n["COMPLETE", "READ"] + 0; out_w = n["COMPLETE", "WRIT"] + 0
			print "submitted", in_r, in_w, "completed", out_r, out_w, "or either", either + 0, sum, "bytes"
			exit !(in_r == reads && in_w == writes && sum == bytes && out_r <= reads && out_w <= writes &&
				out_r + out_w + either == reads + writes)
		}'
}

example_that_counts()
{
	[ -n "$counts${cannot[counts]:-}" ] || return
	# shellcheck disable=SC2086 # three words
	requests counts ${counts:-0 0 0} && diff said counts.out
}

# 64 pieces of 32 KiB are read and written
example_that_copies()
{
	requests "$1" 64 64 4194304 && cmp source "$1.copy"
}

qemu()
{
	requests bench 500 0 2048000 && grep -q '^Sending 500 read requests, 4096 bytes each' bench.out
}

check 'io_uring-test counts as the trace does' example_that_counts
check 'io_uring-cp' example_that_copies io_uring-cp
check 'link-cp: chains' example_that_copies link-cp
check 'qemu-img bench' qemu
