#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The conformance program in the tier of this machine: each case leaves the
# rows that it expects, in their order, and no others.
# alone: it calls sync(2), which writes what others count
. "$(dirname "$0")/lib.sh"

conform=$(program conform) || skip_all 'tests/conform/conform is not built and cannot be'
mkdir work
record s -e fs --extra-ops -- "$conform" "$LIVE_TIER" work >expected
check 'the program ran' [ $? = 0 ]
"$reader" diff s expected "$tmp/work" >cases

cat cases
! grep -q '^FAIL: ' cases || cases_failed=1
check 'nothing was lost' no_loss s

# operations that are rows only when they are asked for
mkdir plain
record p -e fs -- "$conform" "$LIVE_TIER" plain copying cloning pipes_alone syncing_ranges hints >expected_extra
extra='^(TEE|FADVISE|READAHEAD)	'
same_rows()
{
	diff <(grep -vE "$extra|^CASE" expected_extra | cut -f1,4,5) \
		<(cells p fs operation,filename,size | awk -F'\t' -v dir="$tmp/plain/" '
			/\/conform\// { began = 1; next }
			began && ($2 == "" || index($2, dir) == 1)')
}
check 'without --extra-ops: the other rows, and none of these' same_rows

# numbers of 32-bit calls in a 64-bit program: no row says one of another call
int80=$(program conform_int80) || int80=
if [ -n "$int80" ] && record i80 -e fs -- "$int80" "$tmp/int80"; then
	cells i80 fs operation,filename | awk -F'\t' -v file="$tmp/int80" '$2 == file || $2 == ""' >rows
	check 'calls by int 0x80 are not taken for others' diff <(printf '%s\t%s\n' OPEN "$tmp/int80" WRITE "$tmp/int80" CLOSE "$tmp/int80") rows
else
	skip 'no 32-bit calls in 64-bit programs here'
fi
