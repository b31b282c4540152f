#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer report BEFORE AFTER on real loads: the same load with another block size differs in the
# right direction and by the right factor, the same load twice in nothing that its rows do not
# bear out, in text, CSV, JSON and as a page.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-report.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-report.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
command -v fio >/dev/null || skip_all 'fio is not installed'

# load DIR BLOCK_SIZE: the same 32 MiB, written in order, synced at the end
load()
{
	record "$1" -m 4096 -e fs,ds -- fio --name=load --filename="$tmp/file" --size=32m --rw=write --bs="$2" \
		--ioengine=psync --fallocate=none --end_fsync=1 --output=/dev/null && no_loss "$1"
}

check 'a load is recorded' load before 4k
check 'with larger blocks' load larger 64k
check 'and again as it was' load again 4k


check 'what is claimed of larger blocks is so' python3 "$tests_dir/readers/report_changes.py" before larger "$IOTRACER"
check 'and of the same load twice' python3 "$tests_dir/readers/report_changes.py" before again "$IOTRACER"

# difference DIR DIR KIND,NAME,MEASURE: its change and verdict
difference()
{
	"$IOTRACER" report "$1" "$2" --section differences --csv 2>/dev/null | grep -F "$3," | rev | cut -d, -f1,2 | rev
}

is_difference()
{
	local got

	got=$(difference "$1" "$2" "$3")
	[ "$got" = "$4" ] || { echo "$3: $got, not $4"; return 1; }
}

check 'blocks are 16 times as large' is_difference before larger 'operation,fs WRITE,mean_write_bytes' 15.000000,higher
check 'and so many fewer' is_difference before larger 'operation,fs WRITE,count' -0.937500,lower
check 'the other way round' is_difference larger before 'operation,fs WRITE,mean_write_bytes' -0.937500,lower
check 'the same load writes as often' is_difference before again 'operation,fs WRITE,count' 0.000000,equal
check 'and as much at once' is_difference before again 'operation,fs WRITE,mean_write_bytes' 0.000000,equal

nothing_of_itself()
{
	report before before && says_like '^0 of [0-9]+ figures differ\.$' && ! grep -qE 'higher|lower|noise' out
}

as_text()
{
	report before larger && [ "$(wc -l <out)" -le 48 ] && says_like '^before: .*before' && says_like '^after: +.*larger' &&
		says_like 'mean_write_bytes +4\.0K +64\.0K +x16\.00 +higher +fs WRITE' && says_like '^more: iotracer report BEFORE AFTER'
}

# MEASURE: before, after of the totals
total()
{
	"$IOTRACER" report before larger --section totals --csv 2>/dev/null | grep "^$1," | cut -d, -f2,3
}

# what comes first: bytes, syncs as fio made them, and no finding that is none
totals()
{
	report before larger && sed -n 4p out | grep -q '^MEASURE' && sed -n 5p out | grep -q '^run_time_ns ' &&
		[ "$(total write_bytes | cut -d, -f1)" -ge 33554432 ] && [ "$(total syncs)" = 1,1 ] &&
		[ -n "$(total errors)" ] && [ -n "$(total findings_new)" ] && [ -n "$(total findings_gone)" ] &&
		[ "$(total device_write_bytes | cut -d, -f1)" -ge 33554432 ]
}

lossy()
{
	cp -r larger lossy && python3 "$tests_dir/readers/manifest_checks.py" add_loss lossy fs ring 123456 && report before lossy && says_like 'missing after: fs: 123456 events lost: ring'
}

# files that do not fit in memory: some larger, some smaller, some in one of both alone
write_files()
{
	local i

	for ((i = $1; i < $2; i++)); do
		head -c $((i * i % 97)) /dev/zero >"files/$i"
	done
}

put_aside()
{
	"$IOTRACER" report few many --section changed_files --csv --top 0 >whole.csv 2>/dev/null
	"$IOTRACER" report few many --section changed_files --csv --top 0 --memory 1K >parts.csv 2>err
	cat err
	[ "$(grep -c 'more files than fit in memory' err)" = 2 ] && [ "$(grep -c /files/ whole.csv)" -gt 30 ] && cmp whole.csv parts.csv
}

mkdir files
export -f write_files
check 'many files are recorded' record few -e fs -- bash -c 'write_files 0 40'
check 'and others' record many -e fs -- bash -c 'write_files 20 60; write_files 30 40'
check 'a trace does not differ from itself' nothing_of_itself
check 'files are compared, whether they fit in memory or not' put_aside
check 'text: both values and the change' as_text
check 'text: first run time, bytes, syncs, errors, findings' totals
check 'losses of one of them are said' lossy
check 'and what they may have taken is not claimed' is_difference before lossy 'operation,fs WRITE,count' -0.937500,noise

# ---- more than two, and not to be compared ----

side_by_side()
{
	local n=$1

	shift
	report "$@" && ! grep -q 'figures differ' out && [ "$(grep -c '^streams: ' out)" = "$n" ]
}

one_is_missing()
{
	! report before /nothing && says_like '^streams: '
}

check 'three directories are a fleet' side_by_side 3 before larger again
check 'two are one when asked for' side_by_side 2 before larger --fleet
check 'one that cannot be read leaves the other' one_is_missing
check 'one directory has no differences' [ "$(report before --section differences; echo $?)" = 2 ]
check 'nor has a fleet' [ "$(report before larger again --section differences; echo $?)" = 2 ]

page()
{
	"$IOTRACER" report before larger -o page.html && [ "$(stat -c %s page.html)" -lt 2000000 ] &&
		grep -q 'title="15.000000">x16.00' page.html && grep -q '<h2 id="t2-operations">' page.html
}

check 'the page has the differences and both traces' page
