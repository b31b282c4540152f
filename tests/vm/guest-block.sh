#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream ds of a whole machine against the kernel's own counters, and the odd
# requests: above 2 TiB, discards, flushes. In tier c, whose programs are those
# of tier b.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"

export IOTRACER_BCC=$builddir/iotracer-bcc IOTRACER_STUB=$srcdir/compat/stub
iotracer=$builddir/iotracer
scratch=/mnt/ext4
disk=$(findmnt -no SOURCE $scratch)
disk=${disk##*/}
dev=$(cat "/sys/block/$disk/dev")

cells()
{
	"$builddir/tests/conform-diff" cut "$1" "$2" "$3"
}

# reads, sectors read, sectors written, discards, sectors discarded, flushes. (Not
# writes: the kernel counts an empty preflush, which never reaches the device.)
counters()
{
	awk '{ print $1, $3, $7, $12, $14, $16 }' "/sys/block/$disk/stat"
}

# The same from the rows of the disk. (Kernels before 5.5 count no flushes.)
rows()
{
	cells "$1" ds dev,operation,size | awk -F '\t' -v dev="$dev" '
		$1 != dev { next }
		{ n[$2]++; b[$2] += $3 / 512 }
		END { print n["read"] + 0, b["read"] + 0, b["write"] + 0,
			n["discard"] + 0, b["discard"] + 0, n["flush"] + 0 }'
}

load()
{
	local i writers=()

	for i in 1 2 3 4; do
		dd if=/dev/zero of=$scratch/L$i bs=64k count=100 conv=fsync 2>/dev/null &
		writers+=($!)
	done
	dd if=/dev/zero of=$scratch/D bs=4k count=503 oflag=direct,dsync 2>/dev/null
	wait "${writers[@]}"
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cat $scratch/L* >/dev/null
	rm -f $scratch/L* $scratch/D
	sync
	fstrim $scratch
}

# agree SCHEDULER: all requests of a loaded disk are rows
agree()
{
	local dir=/tmp/block.$1 before after tracer

	echo "$1" >"/sys/block/$disk/queue/scheduler" || return 77
	sync
	rm -rf "$dir"
	"$iotracer" record -v -e ds --no-headers -o "$dir" 2>/tmp/block.log &
	tracer=$!
	for _ in $(seq 150); do
		[ -f "$dir/manifest.json" ] && break
		sleep 0.2
	done
	sleep 1
	before=$(counters)
	load
	after=$(counters)
	sleep 1
	kill -INT $tracer
	wait $tracer
	cat /tmp/block.log
	paste <(tr ' ' '\n' <<<"$before") <(tr ' ' '\n' <<<"$after") <(rows "$dir" | tr ' ' '\n') |
		awk '{ print ($2 == "" ? "-" : $2 - $1), $3; bad += $2 != "" && $2 - $1 != $3 } END { exit bad > 0 }'
}

# What the tables of a long run hold in the end: nothing but what is under way.
nothing_leaks()
{
	sed -n 's/.*left in tables: .* \([0-9]*\) requests.*/\1/p' /tmp/block.log | awk '{ n = $1 } END { exit !(n != "" && n < 8) }'
}

above_2_tib()
{
	local file=/mnt/xfs/big loop seek=$((5 << 28)) dir=/tmp/big.trace

	modprobe loop 2>/dev/null
	truncate -s 6T $file || return
	loop=$(losetup -f --show $file) || return 77
	rm -rf $dir
	"$iotracer" record -q -e ds --no-headers -o $dir -- \
		dd if=/dev/zero of="$loop" bs=4096 count=3 seek=$seek oflag=direct
	losetup -d "$loop"
	rm -f $file
	cells $dir ds dev,operation,sector,size |
		awk -F '\t' -v dev="$(stat -c '%Hr:%Lr' "$loop")" -v want=$((seek * 8)) '
			$1 == dev && $2 == "write" { if ($3 == want) { want += $4 / 512; n += $4 } }
			END { exit n != 3 * 4096 }'
}

check 'all requests of a loaded disk are rows, mq-deadline' agree mq-deadline
check 'no entry of a merged or requeued request stays' nothing_leaks
check 'sectors above 2 TiB' above_2_tib
