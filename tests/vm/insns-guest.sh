#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Instructions that a traced operation costs the thread that performs it, in each
# tier, on a machine whose clock counts them (run --count): the table goes to
# /host-rw/insns. Of several chunks the cheapest is one that no interrupt fell
# into, so that two runs give the same numbers. Started by tests/bench/insns.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

# shellcheck disable=SC2154 # guest-run gives builddir and srcdir
export IOTRACER_BCC=$builddir/iotracer-bcc IOTRACER_STUB=$srcdir/compat/stub
iotracer=$builddir/iotracer
rw=/host-rw
work=/dev/shm/insns
operations=$builddir/tests/bench/ops
[ -x "$operations" ] || { echo 'not built: make tests/bench/ops'; exit 77; }
mkdir -p $work/dir

# Sleep takes no time where the clock counts instructions, and the host needs some.
# shellcheck disable=SC2317 # called by image
spin()
{
	local i

	for ((i = 0; i < 50000; i++)); do :; done
}
# shellcheck disable=SC2034 # read by image
image_pause=spin

# The tracer has its own beginning behind it when the first operation comes, which once paid for it.
perform()
{
	"$@" bash -c 'for ((i = 0; i < 50000; i++)); do :; done; exec "$@"' - "$operations" all 12 50 $work/dir 2>/dev/null
}

untraced()
{
	perform >$work/none
}

# The rows must be there as well, or it is the cost of nothing.
traced()
{
	local tier=$1 options=(--no-snapshots --no-self-test --extra-ops -m 1024 --image "$rw/image-insns-$1")

	perform "$iotracer" record -q -o "$work/$tier.trace" "${options[@]}" -- >"$work/$tier" &&
		[ "$(wc -l <"$work/$tier")" = "$(wc -l <$work/none)" ] &&
		[ "$(cat "$work/$tier.trace"/fs/*.csv | wc -l)" -gt "$(awk '{ n += $2 * $3 } END { print n }' $work/none)" ] &&
		[ ! -d "$work/$tier.trace"/lost ]
}

# best nanoseconds a turn, which are instructions here
table()
{
	awk 'FNR == 1 { file++ }
		{ key = $1; for (i = 6; i <= NF; i++) key = key " " $i
		  cost[key, file] = $5; if (file == 1) order[++n] = key }
		END { for (i = 1; i <= n; i++) { k = order[i]; split(k, word, " ")
			what = substr(k, length(word[1]) + 2)
			printf "%-16s %8.0f %+8.0f %+8.0f %+8.0f  %s\n", word[1], cost[k, 1],
				cost[k, 2] - cost[k, 1], cost[k, 3] - cost[k, 1], cost[k, 4] - cost[k, 1], what } }' \
		$work/none $work/a $work/b $work/c >$rw/insns
	[ -s $rw/insns ]
}

check 'untraced' untraced
for tier in a b c; do
	case $tier in
	a) options=() ;;
	b) options=(--no-kprobes) ;;
	c) options=(--no-kprobes --no-headers) ;;
	esac
	check "tier $tier: compiled on the host" image insns-$tier -e fs "${options[@]}"
	check "tier $tier: each operation left its rows" traced $tier
done
check 'the table was written' table
