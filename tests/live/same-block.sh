#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several read one block past the page cache at once: requests that are under
# way for one sector together are told apart, and none of them is lost.
. "$(dirname "$0")/../lib-live.sh"

reads=$(program conform-same-block) || skip_all 'tests/conform-same-block is not built and cannot be'
n=503
dd if=/dev/zero of=F bs=4096 count=1 2>/dev/null && sync F
"$reads" F 1 || skip_all "$tmp has no direct I/O"
record s -e ds -m 2048 -- "$reads" F "$n"
rows=$(cells s ds command,operation,size | grep -cP '^conform-same-bl\tread\t4096$')
[ "$rows" -gt 0 ] || skip_all "what $tmp is on has no requests of its own"
lost=$(cells s lost stream,reason,count | awk -F'\t' '$1 == "ds" { n += $3; why = why " " $2 } END { print n + 0 why }')
# those that share an entry of what was queued have one owner between them, and what the kernel
# issues for nobody has no row with a filter: a few at most
check "reads are rows ($rows of $((8 * n)), $lost lost)" \
	[ $((rows + ${lost%% *})) -ge $((8 * n * 99 / 100)) -a "$rows" -le $((8 * n)) ]
# without raw tracepoints requests are known by their sector alone
! grep -q BLOCK_RAW s/manifest.json || check "none is lost that has its row ($lost)" [ "$lost" = 0 ]
