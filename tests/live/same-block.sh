#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several read one block past the page cache at once: requests that are under
# way for one sector together are told apart, and none of them is lost.
. "$(dirname "$0")/lib.sh"

reads=$(program conform_same_block) || skip_all 'tests/conform/conform_same_block is not built and cannot be'
n=503
dd if=/dev/zero of=F bs=4096 count=1 2>/dev/null && sync F
"$reads" F 1 || skip_all "$tmp has no direct I/O"
record s -e ds -m 2048 -- "$reads" F "$n"
# the block is where most requests go; the program itself may be read as well
read -r rows sector < <(cells s ds command,operation,size,sector | grep -P '^conform-same-bl\tread\t4096\t' |
	cut -f 4 | sort | uniq -c | sort -rn | head -n 1)
[ "${rows:-0}" -gt 0 ] || skip_all "what $tmp is on has no requests of its own"
lost=$(cells s lost stream,reason,count | awk -F'\t' '$1 == "ds" { n += $3; why = why " " $2 } END { print n + 0 why }')
away=$(sed -n 's/.* \([0-9]*\) requests still in flight.*/\1/p' s.log)
told=$((rows + ${lost%% *} + ${away:-0}))
if grep -q BLOCK_RAW s/manifest.json; then
	# a kernel that runs no program in some task's context hides what completes there: that is counted
	check "each of $((8 * n)) reads has its row or is missed in so many words ($rows; $lost lost, ${away:-0} under way)" \
		[ "$told" -ge $((8 * n)) -a "$told" -le $((8 * n + 8)) -a "$rows" -le $((8 * n)) ]
	[ "$rows" -lt $((8 * n)) ] || check "each row names the thread that read" \
		[ "$(cells s ds sector,tid | grep "^$sector"$'\t' | sort | uniq -c | awk '{ print $1 }' | uniq)" = "$n" ]
else
	# requests are known by their sector alone: those that share it share an entry
	check "reads are rows ($rows of $((8 * n)), $lost lost)" [ "$told" -ge $((8 * n * 99 / 100)) -a "$rows" -le $((8 * n)) ]
fi
