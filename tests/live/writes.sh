#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A known program: 10,007 writes of dd are 10,007 rows, in their order, with
# the offsets that they had; block rows sum to the bytes written.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-events.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-events.sh"

record s -e fs -- dd if=/dev/zero of="$tmp/F" bs=4096 count=10007 2>/dev/null
check 'dd ended well' [ $? = 0 ]
cells s fs operation,size,offset,return_value,filename,mono_ns |
	awk -F'\t' -v f="$tmp/F" '$5 == f' >rows
awk -F'\t' '$1 == "WRITE" && $2 == 4096 && $3 == 4096 * n && $4 == 4096 { n++ } END { print n + 0 }' rows >n
check '10,007 writes of 4,096 bytes at 0, 4096, ... in order' [ "$(cat n)" = 10007 ]
check 'and no other write' [ "$(grep -c ^WRITE rows)" = 10007 ]
check 'one OPEN' [ "$(grep -c ^OPEN rows)" = 1 ]
check 'one CLOSE' [ "$(grep -c ^CLOSE rows)" = 1 ]
check 'times do not go back' awk -F'\t' '$6 < last { exit 1 } { last = $6 }' rows
check 'nothing was lost' no_loss s

if ! dd if=/dev/zero of="$tmp/D" bs=4096 count=1 oflag=direct 2>/dev/null ||
	! grep -q " $(stat -c %d "$tmp" | awk '{ printf "%d:%d", int($1 / 256), $1 % 256 }') " /proc/self/mountinfo ||
	[ ! -e "/sys/dev/block/$(mountpoint -d "$(stat -c %m "$tmp")")" ]; then
	skip "direct writes: $tmp is on no block device"
else
	# Completions in interrupts are not all seen, where the kernel passes over programs; the ledger has them.
	# over blocks that are there already, so that the file system has nothing to add
	dd if=/dev/zero of="$tmp/D" bs=65536 count=307 oflag=direct 2>/dev/null
	sync "$tmp/D"
	# what each completion interrupted, by the kernel itself
	watch block/block_rq_complete
	record ds -e ds -- dd if=/dev/zero of="$tmp/D" bs=65536 count=307 oflag=direct conv=notrunc 2>/dev/null
	watched | awk '/ block_rq_complete: / { for (i = 2; i < NF; i++) if ($i == "+") print $(i - 1) "\t" $1 }' >interrupted
	cells ds ds operation,size,command,error,latency_ms,sector >rows
	sum=$(awk -F'\t' '$1 == "write" && $3 == "dd" && $2 % 65536 == 0 { n += $2 } END { print n + 0 }' rows)
	lost=$(lost ds ds)
	check "rows of dd sum to the bytes written ($sum, $lost lost)" \
		[ $((sum + 65536 * lost)) = $((307 * 65536)) -a "$lost" -lt 150 ]
	check 'none is said to be in flight' [ "$(jq '.under_way | length' ds/manifest.json)" = 0 ]
	# A kernel may run no program while threads of one process are interrupted: no row of these has a latency, each other has.
	awk -F'\t' 'NR == FNR { thread[$1] = $2; next } $1 == "write" { print thread[$6] "\t" ($5 + 0 > 0) }' interrupted rows |
		sort | uniq -c >ends
	blind=$(awk '!$NF { print $2, $1 }' ends | paste -sd ,)
	check "each has a device latency, but where no completion is seen (${blind:-none})" \
		awk '{ $1 = ""; last = $NF; $NF = ""; if ($0 in seen && seen[$0] != last || (/ (<idle>|dd)-/ || !/[^ ]/) && !last) exit 1; seen[$0] = last }' ends
fi
