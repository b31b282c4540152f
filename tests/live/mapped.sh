#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer files`: bytes through mappings. What a program makes dirty is what it wrote, and what devices wrote
# of its file; what it reads is what smaps has, as far as faults tell.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'no python3'
page=$(getconf PAGESIZE)
load=$tests_dir/readers/mapped_load.py
check 'files' python3 "$load" make
check 'recorded' record mapped -e fs,pagefault,ds -- python3 "$load"

# of FILE COLUMN: of the file in the working directory
of()
{
	"$IOTRACER" files mapped -q --csv "${@:3}" | python3 "$tests_dir/readers/column.py" "$2" "filename=$PWD/$1"
}
equal 'pages of a shared mapping that were written' $((64 * page)) "$(of shared mapped_written_bytes)"
equal 'and again, after they had been written back' $((96 * page)) "$(of twice mapped_written_bytes)"
equal 'writes to a private mapping are none' 0 "$(of private mapped_written_bytes)"
equal 'they read, a page each' $((16 * page)) "$(of private mapped_read_bytes)"
equal 'no call moved them' "0 0" "$(of shared reads) $(of shared write_bytes)"
read -r rss <rss
read=$(of read mapped_read_bytes)
if [ "$LIVE_TIER" = a ] && grep -qE ' (sync_mm_rss|set_pte_range)$' /proc/kallsyms; then
	equal 'what was read is in smaps' "$rss" "$read"
else
	# a read maps 16 pages around it where these are cached
	check "what was read: at least a fault for 16 pages ($read of $rss)" [ "$read" -ge $((rss / 16)) ]
	check 'and no more than there is' [ "$read" -le "$rss" ]
fi
equal 'a file without faults' 0 "$(of plain mapped_read_bytes)"
written=$(cells mapped ds operation,filename,size | awk -F'\t' -v file="$PWD/twice" '$1 == "write" && $2 == file { n += $3 } END { print n + 0 }')
if [ "$(n_rows mapped ds)" = 0 ] || [ "$LIVE_TIER" = c ]; then
	skip 'which file a request is of is not known here'
else
	equal 'devices wrote what was dirtied' $((96 * page)) "$written"
fi
equal 'the same by process' $((64 * page)) "$(of shared mapped_written_bytes --by file,pid)"
equal 'the same in little memory' $((64 * page)) "$(of shared mapped_written_bytes --memory 1M)"

check 'recorded as sums' record sums -e fs,pagefault --summary=files -- python3 "$load"
"$IOTRACER" files sums -q --csv >rows.csv
check 'sums kept while recording are the same' cmp rows.csv sums/summary/files.csv

check 'recorded without faults' record calls -e fs -- python3 "$load"
"$IOTRACER" files calls -q --csv >calls.csv
equal 'what was not recorded is not known' '' "$(python3 "$tests_dir/readers/column.py" mapped_written_bytes "filename=$PWD/shared" <calls.csv)"
