#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Instructions that a traced operation costs the thread that performs it, in each
# tier, on a machine whose clock counts them (run --count): the table goes to
# /host-rw/insns. Of several chunks the cheapest is one that no interrupt fell
# into, so that two runs give the same numbers. Started by tests/bench/insns.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

work=/dev/shm/insns
operations=$builddir/tests/bench/ops
for program in ops switches; do
	[ -x "$builddir/tests/bench/$program" ] || { echo "not built: make tests/bench/$program"; exit 77; }
done
mkdir -p $work/dir

# The tracer has its own beginning behind it when the first operation comes, which once paid for it.
#   perform OPERATIONS COMMAND...
perform()
{
	local which=$1

	shift
	"$@" bash -c 'for ((i = 0; i < 50000; i++)); do :; done; for one in $1; do "$2" "$one" 12 50 "$3" || exit; done' - \
		"$which" "$operations" $work/dir 2>/dev/null
}

untraced()
{
	perform all >$work/none && perform "$counted" >$work/none.layers
}

# trace TIER OPERATIONS [OPTION...]
trace()
{
	local tier=$1 which=$2 options=(--no-snapshots --no-self-test -m 1024)

	shift 2
	perform "$which" "$iotracer" record -q -o "$work/$tier.trace" "${options[@]}" --image "$rw/image-insns-$tier" "$@" -- >"$work/$tier" &&
		[ ! -d "$work/$tier.trace"/lost ]
}

# The rows must be there as well, or it is the cost of nothing.
traced()
{
	trace "$1" all --extra-ops &&
		[ "$(wc -l <"$work/$1")" = "$(wc -l <$work/none)" ] &&
		[ "$(cat "$work/$1.trace"/fs/*.csv | wc -l)" -gt "$(awk '{ n += $2 * $3 } END { print n }' $work/none)" ]
}

# Stream layers alone: the last is an operation that it does not count, and pays all the same.
counted='READ WRITE FSYNC MADVISE'
counted()
{
	trace "$1.layers" "$counted" -e layers && all_there layers "$work/$1.layers"
}

# all_there STREAM RUN: every operation was performed, and the trace RUN.trace has it
all_there()
{
	local n

	[ "$(wc -l <"$2")" = "$(wc -l <$work/none.layers)" ] || return
	case $1 in
	layers) n=$(cat "$2.trace"/layers/*.csv | awk -F, '$4 == "SYSCALL" { n += $7 } END { print n + 0 }') ;;
	*) n=$(cat "$2.trace/$1"/*.csv | wc -l) ;;
	esac
	[ "$n" -ge "$(awk '$1 != "MADVISE" { n += $2 * $3 } END { print n }' $work/none.layers)" ]
}

# machine STREAM [SUFFIX]: the same calls while every process is traced, as a stream that stays on for weeks
# is used: no filter is asked then. SUFFIX: of the image
machine()
{
	local run=$work/machine.$1 tracer status

	"$iotracer" record -v -o "$run.trace" --no-snapshots --no-self-test -m 1024 \
		--image "$rw/image-insns-a${2:-}" -e "$1" 2>"$run.log" &
	tracer=$!
	until grep -q 'recording into' "$run.log"; do
		kill -0 $tracer || return
		sleep 0.2
	done
	perform "$counted" >"$run"
	status=$?
	kill -INT $tracer
	wait $tracer && [ $status = 0 ] && [ ! -d "$run.trace/lost" ] && all_there "$1" "$run"
}

# Each with its stack: fs as above, and what --stacks adds
stacked()
{
	trace "$1.stacks" "$counted" -e fs,stacks --stacks=1 && all_there stacks "$work/$1.stacks"
}

# Stream sched alone, of two threads that wait for each other
switched()
{
	local operations=$builddir/tests/bench/switches

	trace "$1.sched" all -e sched &&
		[ "$(cat "$work/$1.sched.trace"/sched/*.csv | wc -l)" -gt "$(awk '{ print $2 * $3 }' $work/none.sched)" ]
}

switched_untraced()
{
	local operations=$builddir/tests/bench/switches

	perform all >$work/none.sched
}

# lines PREFIX UNTRACED TIER...: best nanoseconds a turn, which are instructions here
lines()
{
	local prefix=$1

	shift
	awk -v prefix="$prefix" 'FNR == 1 { file++ }
		{ key = $1; for (i = 6; i <= NF; i++) key = key " " $i
		  cost[key, file] = $5; if (file == 1) order[++n] = key }
		END { for (i = 1; i <= n; i++) { k = order[i]; split(k, word, " ")
			what = substr(k, length(word[1]) + 2)
			printf "%-16s %8.0f", word[1], cost[k, 1]
			for (f = 2; f <= 4; f++)
				printf " %8s", (k, f) in cost ? sprintf("%+.0f", cost[k, f] - cost[k, 1]) : "-"
			printf "  %s%s\n", prefix, what } }' "$@"
}

table()
{
	lines '' $work/none $work/a $work/b $work/c >$rw/insns
	lines '' $work/none.sched $work/a.sched $work/b.sched $work/c.sched >>$rw/insns
	lines 'with its stack: ' $work/none.layers $work/a.stacks $work/b.stacks $work/c.stacks >>$rw/insns
	lines 'counted: ' $work/none.layers $work/a.layers $work/b.layers >>$rw/insns
	lines 'counted, whole machine: ' $work/none.layers $work/machine.layers >>$rw/insns
	lines 'rows, whole machine: ' $work/none.layers $work/machine.fs >>$rw/insns
	[ -s $rw/insns ]
}

# in_tiers 'TIER...' STREAM SUFFIX WHAT CLAIM COMMAND: with an image of each tier, of this stream alone
in_tiers()
{
	local tier

	for tier in $1; do
		tier_options "$tier"
		check "tier $tier$4: compiled on the host" image "insns-$tier$3" -e "$2" "${tier_options[@]}"
		check "tier $tier: $5" "$6" "$tier"
	done
}

check 'untraced' untraced
in_tiers 'a b c' fs '' '' 'each operation left its rows' traced
check 'untraced: two threads' switched_untraced
in_tiers 'a b c' sched .sched ', switches' 'each switch left its row' switched
in_tiers 'a b c' fs,stacks .stacks ', stacks' 'each operation left its stack' stacked
in_tiers 'a b' layers .layers ', counts' 'each operation was counted' counted
check 'tier a: every process counted' machine layers .layers
check 'tier a: rows of every process' machine fs
check 'the table was written' table
