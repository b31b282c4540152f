#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Columns call and ofd of stream fs: each system call has its name, and each open file
# description one number, through whatever descriptor and process it is used.
. "$(dirname "$0")/lib.sh"

calls=$(program conform_calls) || skip_all 'tests/conform/conform_calls cannot be built'
mkdir work
echo "expected $calls $LIVE_TIER $tmp/work" >lines
if [ "$LIVE_TIER" = a ] &&
	old=$(program conform_32 -m32 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie) && "$old" "$tmp/f32"; then
	echo "old $old $tmp/f32" >>lines
fi
record_steps s -e fs --extra-ops <lines
check 'recorded' [ $? = 0 ]
check 'the program ran' [ "$(cat expected.status)" = 0 ]
mv expected.out expected
check 'nothing was lost' no_loss s

# Numbers of descriptions in the order of their opening: one that was free again may come back.
cells s fs operation,call,ofd,filename,command | awk -F'\t' -v dir="$tmp/work" '
	$5 != "conform_calls" || index($4, dir) == 0 { next }
	$1 == "OPEN" && $3 { through[$3] = ++n }
	{ print $1 "\t" $2 "\t" ($3 == "" ? "-" : $3 in through ? through[$3] : "?") }' >found
check 'every row has the call that asked and the description it went through' diff expected found
[ "$cases_failed" = 0 ] || diff expected found

# differs: descriptions that are open at the same time
check 'no two open files have one number' \
	[ "$(awk -F'\t' '$1 == "OPEN" && $3 != "-"' found | wc -l)" = "$(awk -F'\t' '$3 + 0 > n { n = $3 } END { print n }' found)" ]

if [ "$LIVE_TIER" = a ]; then
	# 32-bit programs have numbers of their own for the same calls
	if [ -f old.status ]; then
		equal 'calls of a 32-bit program' \
			'open write close stat64 chmod truncate rename link unlink unlink symlink unlink mkdir rmdir' \
			"$(step_cells s old fs call,filename | awk -F'\t' -v at="$tmp/f32" 'index($2, at) { printf "%s%s", n++ ? " " : "", $1 }')"
	else
		skip 'no 32-bit programs here'
	fi
	if conform=$(program conform) && ! uring_forbidden; then
		mkdir rings
		record r -e fs -- "$conform" a rings libaio io_uring >expected_async
		# calls CASE: those of the reads and writes of its files
		calls_of()
		{
			cells r fs operation,call,filename | awk -F'\t' -v at="/rings/$1/" '
				$1 ~ /^(READ|WRITE)$/ && index($3, at) { print $2 }' | sort -u | paste -sd ' '
		}
		equal 'calls of AIO' aio "$(calls_of libaio)"
		if ! grep -q '^SKIP.io_uring' expected_async; then
			equal 'calls of io_uring' io_uring "$(calls_of io_uring)"
		fi
	fi
fi
