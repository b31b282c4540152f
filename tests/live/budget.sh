#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --budget: under a load that comes and goes rows are left out by whole files, and come back; every read is
# counted all the same, and readers agree with what the load did. Here by bytes, which no other program has a part in;
# budget-load.sh has CPU time.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-budget.sh
. "$tests_dir/live/lib-budget.sh"

command -v python3 >/dev/null || skip_all 'python3 is not installed'
load=(python3 "$tests_dir/live/traced/budget.py" "$tmp/load" 2)
if [ "$LIVE_TIER" = c ]; then
	"$IOTRACER" record -o none "${record_options[@]}" -e fs --budget 5% -- true 2>said
	check 'without layouts there is no budget' [ $? = 1 ]
	check 'and it says why' grep -q -- '--budget: the programs cannot count here' said
	check 'nothing was made' [ ! -e none ]
	exit
fi
record b -e fs,exec -m 4096 --budget 1500K/s -- "${load[@]}" 1:500 3:60000 5:500 >told
check 'recorded' [ $? = 0 ]
changes b >changed
sed 's/^/# /' changed
check 'less was written' [ "$(awk '$2 > most { most = $2 } END { print most + 0 }' changed)" -ge 2 ]
check 'and in the end all again' [ "$(tail -1 changed | cut -d' ' -f2)" = 1 ]
# from half a second after the last change to less until all is recorded again
written()
{
	{
		cat changed
		echo rows
		cells b fs mono_ns
	} | awk -v bytes="$(cat b/fs/*.csv | wc -c)" '
		NF == 2 { if ($2 > 1) from = $1 + 500000000; else to = $1; next }
		NF == 1 && $1 != "rows" { all++; if ($1 >= from && $1 < to) n++; if ($1 >= from && $1 < to && $1 > last) last = $1 }
		END {
			seconds = (last - from) / 1e9
			printf "%.0f bytes a second for %.1f s\n", n * bytes / all / seconds, seconds
			exit !(seconds > 0 && n * bytes / all / seconds <= 1.2 * 1500 * 1024)
		}'
}
check 'no more than the limit, within 20 %' written
check 'without going back and forth' [ "$(wc -l <changed)" -le 6 ]
check 'nothing was lost' [ "$(lost b '' 'ring|table-full|scratch|no-entry|no-return')" = 0 ]
check 'each read is counted' counted b
check 'what has rows has all of them' by_whole_files b
check 'readers agree with the load' agree b
check 'they say what they lack' grep -q 'budget: .* events of fs have no row' <("$IOTRACER" files b --by dir 2>/dev/null)
check 'the directory is whole' "$IOTRACER" verify -q b
check 'its end says so' grep -q 'budget: .* events have no row' b.log
