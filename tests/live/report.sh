#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer report on real programs: what it says is what the rows say, counted
# independently, in text, CSV and JSON; also of traces that were cut short.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-report.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-report.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

command -v python3 >/dev/null || skip_all 'needs python3'


corpus everything || exit
cp -a everything trace
cp everything.log trace.log
check 'no event was lost' no_loss trace
check 'the report is what the rows say' python3 "$tests_dir/readers/report_rows.py" trace "$IOTRACER"

# the snapshot of the system, as it is in the directory
machine()
{
	# `record` without --no-snapshots
	"$IOTRACER" record -q -o seen "${tier_options[@]}" -e fs --snapshot-depth 1 -- true && python3 "$tests_dir/readers/report_checks.py" machine_as_snapshot "$IOTRACER"
}

check 'what the machine is' machine

fits()
{
	report trace && [ "$(wc -l <out)" -le 48 ] && [ "$(wc -l <out)" -ge 20 ]
}

# the text cuts long names at their beginning, if at all
check 'the text fits two screens' fits
check 'it names the busiest file' says '13.2M written: '
check 'and in full' says 'busy, "<script>"'
check 'and the slowest operation' grep -q '^slowest operation: .*ms: .* of fs by ' out
check 'and its tier' grep -q "^tier $LIVE_TIER" out
check 'and how to see more' grep -q '^more: iotracer report DIR --section' out

one_csv()
{
	report trace --csv && python3 "$tests_dir/readers/report_checks.py" one_csv
}

# one section as CSV is its part of the JSON
section()
{
	report trace --section "$1" --csv || return
	"$IOTRACER" report trace --json 2>/dev/null | python3 "$tests_dir/readers/report_checks.py" section_as_json "$1"
}

check 'all of it is one CSV' one_csv
for name in layers operations processes devices time latencies sizes missing; do
	check "$name in CSV and in JSON are the same" section "$name"
done

# ---- parts of it ----

narrowed()
{
	local pid

	pid=$(cells trace exec pid | head -1)
	report trace -p "$pid" --section processes --csv || return
	[ "$(cut -d, -f1 out | sed 1d)" = "$pid" ] || { cat out; return 1; }
}

nothing_left()
{
	report trace --from +1h && says ' 0 rows'
}

check 'only a process' narrowed
check 'only a time with nothing in it' nothing_left
check 'an unknown section is wrong usage' [ "$(report trace --section nothing; echo $?)" = 2 ]
check 'a directory that is none fails' [ "$(report /nothing; echo $?)" = 1 ]

# ---- cut short, lossy, hidden, packed ----

lossy()
{
	cp -r trace lossy || return
	python3 "$tests_dir/readers/manifest_checks.py" add_loss lossy fs ring 1234 || return
	report lossy && says 'missing: fs: 1234 events lost: ring'
}

killed()
{
	record_in_background killed -e fs -p $$ || return
	for _ in 1 2 3 4 5; do cat "$tests_dir/readers/report_rows.py"; done >/dev/null
	sleep 2
	end_tracer KILL 2>/dev/null
	report killed && says 'the recorder was killed: its last rows may be missing'
}

running()
{
	record_in_background running -e fs -p $$ || return
	report running && says 'still being recorded'
	local status=$?

	end_tracer
	return "$status"
}

hidden()
{
	corpus hidden || return
	report hidden --json || return
	! grep -o 'held\|barred\|many_files' out
}

packed()
{
	corpus packed || return
	report packed --section operations --csv || return
	grep -q '^fs,FSYNC,8,' out && grep -q '^fs,WRITE,819,' out || { cat out; return 1; }
}

no_rows()
{
	record no-rows -e fs --summary --no-rows -- true || return
	! report no-rows && grep -q 'not kept' err
}

check 'losses stand at its beginning' lossy
check 'a killed recorder is told' killed
check 'a trace that goes on is told' running
check 'an anonymised trace has no names in it' hidden
check 'compressed segments are read' packed
check 'without rows there is no report' no_rows

# ---- ends ----

quiet_end()
{
	"$IOTRACER" report trace --csv 2>err | head -1 >/dev/null
	[ ! -s err ]
}

full()
{
	[ -e /dev/full ] || return 0
	! report trace -o /dev/full && grep -q 'No space left' err
}

check 'a reader that has enough ends it' quiet_end
check 'a full disk is said' full

# ---- the closing lines of the recording ----

# what `record` said of the busiest file and the slowest operation is what the report says, but for
# units of time that are not told twice
closing()
{
	local said told

	said=$(sed -n 's/^iotracer: slowest operation: //p' trace.log | sed 's/ at [0-9:.]*//; s/"//g')
	told=$("$IOTRACER" report trace 2>/dev/null | sed -n 's/^slowest operation: //p' | sed 's/ at [0-9:.]*//; s/"//g')
	[ -n "$said" ] && [ "$said" = "$told" ] || { echo "$said, not $told"; return 1; }
	grep -q '^iotracer: busiest files: .*busy, ' trace.log || return
	grep -qE '^iotracer: missing: (nothing|[0-9]+ )' trace.log || return
	grep -qx 'iotracer: more: iotracer report everything; iotracer files everything' trace.log
}

# of a loss they say how many events
closing_lossy()
{
	local n lost

	corpus overflowed || return
	lost=$(cells overflowed lost count | awk '{ n += $1 } END { print n + 0 }')
	n=$(sed -n 's/^iotracer: missing: \([0-9]*\) events lost.*/\1/p' overflowed.log)
	[ "$lost" = 0 ] || [ "$n" = "$lost" ] || { echo "said $n, $lost in the trace"; return 1; }
}

check 'the recording ends with the same answer, and how to see more' closing
check 'and says what it lost' closing_lossy
