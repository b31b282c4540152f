#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --budget: a load from nothing to as many reads per second as this machine makes, and back. What it
# costs is measured beside the tracer, by the times of its process and, of its programs, by the kernel's statistics.
# alone: it measures CPU time
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-budget.sh
. "$tests_dir/live/lib-budget.sh"

command -v python3 >/dev/null || skip_all 'python3 is not installed'
[ "$LIVE_TIER" != c ] || skip_all 'there is no budget without layouts (budget.sh)'
stats=/proc/sys/kernel/bpf_stats_enabled
[ -w "$stats" ] || skip_all 'this kernel does not measure programs (5.1)'
stats_before=$(cat "$stats")
undo()
{
	echo "$stats_before" >"$stats"
}

# measured DIR [OPTION]... -- PHASES: records the load; what it cost is in DIR.cost
measured()
{
	local dir=$1 options=() tracer status

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$IOTRACER" record -v -o "$dir" "${record_options[@]}" -e fs,exec,layers -m 4096 "${options[@]}" -- \
		python3 "$tests_dir/live/traced/budget.py" "$tmp/load" "$(nproc)" "$@" >told 2>"$dir.log" &
	tracer=$!
	pids+=("$tracer")
	eventually 60 grep -qs 'recording into' "$dir.log"
	python3 "$tests_dir/readers/cost.py" "$tracer" >"$dir.cost"
	wait "$tracer"
	status=$?
	sed "s/^/# $dir: /" "$dir.cost"
	return $status
}

# mean DIR FROM TO: thousandths of a CPU in these seconds
mean()
{
	awk -v from="$2" -v to="$3" '$1 >= from && $1 < to { sum += $2 + $3; n++ } END { printf "%d\n", n ? sum / n : 0 }' "$1.cost"
}

echo 1 >"$stats"
measured free -- 1:1000 9:0
check 'recorded without a budget' [ $? = 0 ]
free=$(mean free 2.5 9.5)
read -r reads bytes < <(told_sums)
free_files=$("$IOTRACER" files free --by dir --csv 2>/dev/null | grep -c load)
echo "# free: $free thousandths of a CPU, $((reads / 9)) reads per second, $bytes bytes, $free_files directories"
# of all CPUs; counting takes some two fifths of what rows take
budget=$(awk -v free="$free" -v n="$(nproc)" 'BEGIN { printf "%.1f\n", 0.9 * free / 10 / n }')
limit=$(awk -v budget="$budget" -v n="$(nproc)" 'BEGIN { printf "%d\n", budget * 10 * n }')

measured b --budget "$budget%" -- 4:1000 26:0 8:1000
check 'recorded' [ $? = 0 ]
changes b >changed
sed 's/^/# change: /' changed
read -r reads _ < <(told_sums)
echo "# $reads reads, $(awk '{ n += $1 } END { print n }' < <(cells b layers count)) counted, $(n_rows b fs) rows"
# the load begins 4 s after the start, and is full until 30; the level is found within 6 s
full=$(mean b 11 29)
echo "# budget $budget %: $full of $limit thousandths of a CPU under full load, $((reads / 26)) reads per second"
check 'under full load it costs no more than the budget, within 20 %' [ "$full" -le $((limit * 12 / 10)) ]
check 'and no less than it may' [ "$full" -ge $((limit * 5 / 10)) ]
check 'rows were left out' [ "$(awk '$2 != 1' changed | wc -l)" -ge 1 ]
check 'without going back and forth' [ "$(wc -l <changed)" -le 10 ]
check 'in the end all is recorded again' [ "$(tail -1 changed | cut -d' ' -f2)" = 1 ]
check 'each read is counted' counted b
check 'nothing was lost' [ "$(lost b '' 'ring|table-full|scratch|no-entry|no-return')" = 0 ]
check 'what has rows has all of them' by_whole_files b
check 'readers agree with the load' agree b
