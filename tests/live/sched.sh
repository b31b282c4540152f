#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream sched: each thread's stays on the CPUs are as many as the kernel counts
# switches, told apart as it does, and add up to its own times of running and waiting.
# alone: it compares times of running and waiting
. "$(dirname "$0")/lib.sh"

program=$(program conform_sched) || skip_all 'tests/conform/conform_sched is not built and cannot be'
taken=$(not_programs)
# a recording ends when its command has been waited for, which can be before that was off its CPU for the last time
# shellcheck disable=SC2016 # for the command
record s -m 4096 -e sched,exec -- sh -c '"$1" && sleep 0.3' - "$program" >told
check 'recorded' [ $? = 0 ]
taken=$(($(not_programs) - taken))
slack=$((taken + 20000000))
check 'nothing was lost' [ "$(cells s lost count | wc -l)" = 0 ]
cells s sched tid,mono_ns,run_ns,state,sleep_ns,delay_ns,waker_tid,command >rows
cells s exec event_type,pid,mono_ns >processes

# sums TID CLOCK: rows, those that slept, those that did not, ns run, ns waited, of stays that had ended then
sums()
{
	awk -F'\t' -v tid="$1" -v clock="$2" '
		$1 == tid && $2 + $3 <= clock { n++; run += $3; delay += $6; if ($4 ~ /^R/) preempted++ }
		END { printf "%d %d %d %d %d\n", n, n - preempted, preempted, run, delay }' rows
}

# near A B PERCENT SLACK: both nearly the same
near()
{
	awk -v a="$1" -v b="$2" -v percent="$3" -v slack="$4" '
		BEGIN { d = a > b ? a - b : b - a; exit !(d <= b * percent / 100 + slack) }'
}

times=$(awk '$1 == "slept" { print $3 }' told)
sed -i '/^slept/d' told
while read -r name tid clock voluntary involuntary ran waited; do
	read -r n slept preempted run delay < <(sums "$tid" "$clock")
	echo "$name $tid: $n rows, $slept slept, $preempted did not, ran $run of $ran ns, waited $delay of $waited ns, $taken taken"
	check "$name: a row for each switch that the kernel counts" [ "$n" = $((voluntary + involuntary)) ]
	# before 5.18 the kernel tells of one in a hundred of two that wake each other across CPUs that it is runnable
	check "$name: as many slept" [ "$slept" = "$voluntary" ]
	check "$name: as many were preempted or yielded" [ "$preempted" = "$involuntary" ]
	if [ "$ran" = 0 ]; then
		echo "SKIP: $name: its times: this kernel keeps no schedstat"
		continue
	fi
	# the scheduler's clock of an emulated machine lags behind when that stands still, and what it missed
	# is charged later, to whoever is there
	[ -z "${VM_RELEASE:-}" ] || continue
	# the last stay is not over when the thread reads its counters; the kernel's include the programs'
	# own time, and go by a clock that stands still while the machine is taken away
	check "$name: ran as long as the kernel says" near "$run" "$ran" 10 "$slack"
	check "$name: waited as long as the kernel says" near "$delay" "$waited" 10 "$slack"
done <told
check 'all threads told' [ "$(wc -l <told)" = 8 ]

tid_of()
{
	awk -v name="$1" '$1 == name { print $2; exit }' told
}
first=$(tid_of first) second=$(tid_of second)
check 'each woke the other' [ "$(awk -F'\t' -v a="$first" -v b="$second" \
	'$1 == a && $7 == b || $1 == b && $7 == a { n++ } END { print (n > 100) + 0 }' rows)" = 1 ]
# A kernel may hide processes from all tracing (that of a sandbox does so with the one that controls it): who
# gets the CPU from such a one has no beginning. Real kernels hide none; a thread's first stay is another matter.
hidden=$(sort -t$'\t' -k2,2n rows | awk -F'\t' '$1 in seen && $3 == "" { n++ } { seen[$1] } END { print n + 0 }')
echo "$hidden stays of $(wc -l <rows) begin where nothing was told"
if [ -n "${VM_RELEASE:-}" ]; then
	check 'each stay has a beginning' [ "$hidden" = 0 ]
else
	check 'nearly each stay has a beginning' [ $((hidden * 50)) -lt "$(wc -l <rows)" ]
fi
# each is asked for after the thread was on the CPU from the one before; of the first that is not known, nor of
# the two around a stay without beginning
check "a sleeper is woken two milliseconds after it ran, or later, $times times" [ "$(sort -t$'\t' -k2,2n rows |
	awk -F'\t' -v tid="$(tid_of sleeper)" -v slept="$times" '
		$1 == tid && $3 == "" { unknown++; on = 0 }
		$1 == tid && $5 > 0 { if (on) { if ($2 - $6 - on >= 2000000) n++; else early++ } on = $2 }
		END { print (slept > 0 && !early && n >= slept - 1 - 2 * unknown) + 0 }')" = 1 ]
check 'the last row of each is its death' [ "$(sort -t$'\t' -k2,2n rows |
	awk -F'\t' '{ last[$1] = $4 } END { for (t in last) if (last[t] != "X" && last[t] != "Z") print t }' rows |
	grep -cf <(cut -d' ' -f2 told))" = 0 ]

# States follow each other without a gap: off, woken, on, off
check 'the states of each thread add up to its life' [ "$(sort -t$'\t' -k1,1n -k2,2n rows | awk -F'\t' '
	$1 == tid && $5 != "" { gap = $2 - end - $5 - $6; if (gap < 0 ? gap < -1000 : gap > 1000) bad++; n++ }
	{ tid = $1; end = $2 + $3 }
	END { print (n > 0) + 0, bad + 0 }')" = '1 0' ]

[ -z "${LIVE_IMAGE:-}" ] || exit 0
record d -- true
check 'not recorded unless it is named' [ ! -e d/sched ]
record e -e '+sched' -- true
check '+NAME adds to the default' [ "$(cells e sched tid | wc -l)" -gt 0 -a "$(cells e fs pid | wc -l)" -gt 0 ]
