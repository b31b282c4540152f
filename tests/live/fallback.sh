#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A probe that does not attach gives way to the next candidate, as one does
# that stays silent. Here the kernel is said to refuse a raw tracepoint.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-between.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-between.sh"

between refuse <<'END'
static bool answers(long number, const long *a, long *result)
{
	if (number != SYS_bpf || a[0] != BPF_RAW_TRACEPOINT_OPEN ||
	    strcmp((const char *)((union bpf_attr *)a[1])->raw_tracepoint.name, "block_rq_complete"))
		return false;
	errno = EINVAL;
	*result = -1;
	return true;
}
END
[ -z "${LIVE_IMAGE:-}" ] || skip_all 'an image has no other candidates'
dd if=/dev/zero of=F bs=4096 count=1 2>/dev/null && sync F
dd if=F iflag=direct of=/dev/null bs=4096 2>/dev/null || skip_all "$tmp has no direct I/O"
# Where on the device dd read a block, a line for each time; while the machine is busy it also reads what it is made of.
reads()
{
	cells "$1" ds command,operation,size,sector | awk -F'\t' '$1 == "dd" && $2 ~ /^read/ && $3 == 4096 { print $4 }' | sort
}
record usual -e ds -- dd if=F iflag=direct of=/dev/null bs=4096
grep -q BLOCK_RAW usual/manifest.json || skip_all 'requests are not seen by raw tracepoints here'
[ -n "$(reads usual)" ] || skip_all "what $tmp is on has no requests of its own"

LD_PRELOAD=$tmp/refuse.so record s -e ds -- dd if=F iflag=direct of=/dev/null bs=4096
check 'recorded' [ $? = 0 ]
check 'the probe and the reason are named' grep -q 'raw tracepoint block:block_rq_complete not attached' s.log
check 'no rows are said to be missing' [ -z "$(grep 'will be missing\|incomplete' s.log)" ]
check 'the next candidate is the one' [ "$(grep -o '"BLOCK[A-Z_]*"' s/manifest.json | sort -u | grep -v MERGE | head -n 1)" = '"BLOCK"' ]
reads usual >usual.reads
reads s >s.reads
n=$(comm -12 usual.reads s.reads | wc -l)
check "its rows are there ($n)" [ "$n" -gt 0 ]
check 'each once' [ -z "$(comm -12 usual.reads s.reads | uniq -d)" ]
