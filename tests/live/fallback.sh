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
reads()
{
	cells "$1" ds command,operation | grep -c "^dd"$'\t'read
}
record usual -e ds -- dd if=F iflag=direct of=/dev/null bs=4096
grep -q BLOCK_RAW usual/manifest.json || skip_all 'requests are not seen by raw tracepoints here'
n=$(reads usual)
[ "$n" -gt 0 ] || skip_all "what $tmp is on has no requests of its own"

LD_PRELOAD=$tmp/refuse.so record s -e ds -- dd if=F iflag=direct of=/dev/null bs=4096
check 'recorded' [ $? = 0 ]
check 'the probe and the reason are named' grep -q 'raw tracepoint block:block_rq_complete not attached' s.log
check 'no rows are said to be missing' [ -z "$(grep 'will be missing\|incomplete' s.log)" ]
check 'the next candidate is the one' [ "$(grep -o '"BLOCK[A-Z_]*"' s/manifest.json | sort -u | grep -v MERGE | head -n 1)" = '"BLOCK"' ]
check "its rows are there ($(reads s) of $n)" [ "$(reads s)" = "$n" ]
