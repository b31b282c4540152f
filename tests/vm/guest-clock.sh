#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The wall clock is set back by an hour and forward again while a trace runs and
# snapshots repeat: rows, segments and snapshots are all there, in their order
# and under names of their own, and what is periodic keeps its pace.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

work=/mnt/ext4/clock
options=()

# What is traced: lines, each a write, and twice the clock is set between them. After each step
# one file is opened that must be a row on the disk soon. steps DIR
cat >/tmp/steps <<'END'
lines()
{
	local i

	for ((i = 0; i < 25; i++)); do
		echo $((n++)) >&9
		sleep 0.1
	done
}

# a row of this file, without waiting for a segment to end
flushed()
{
	local i

	: >"$1/after_$2"
	for ((i = 0; i < 60; i++)); do
		! grep -qrs "after_$2," "$dir/fs" || { echo "$2" >>"$1/flushed"; return; }
		sleep 0.1
	done
}

dir=$2
exec 9>"$1/lines"
until [ -s "$dir/filesystem_snap.csv.gz" ]; do sleep 0.1; done
lines
date -s '1 hour ago' >/dev/null
flushed "$1" back
lines
date -s '1 hour' >/dev/null
flushed "$1" forward
lines
echo $n >"$1/n"
END

# segments DIR STREAM: files in the order of the manifest
segments()
{
	jq -r --arg s "$2" '.streams[] | select(.name == $s) | .segments[].file' "$1/manifest.json"
}

# lines_of DIR: timestamp, offset, length and mono_ns of each line's row, in the order they were written
lines_of()
{
	(cd "$1" && segments . fs | xargs tail -qn +2) | awk -F, -v f="$work/lines" '
		$2 == "WRITE" && $5 == f { print $1 "\t" $9 "\t" $6 "\t" $NF }'
}

all_in_order()
{
	lines_of "$1" | awk -F '\t' -v n="$(cat $work/n)" '
		$2 != at { print "row " NR " is at " $2 ", not at " at + 0; bad = 1; exit }
		$4 <= mono { print "row " NR " is of " $4 ", the one before of " mono; bad = 1; exit }
		{ at += $3; mono = $4 }
		END { print NR " of " n " rows"; exit bad || NR != n || n < 75 }'
}

# The wall clock of the rows is an hour behind in the middle, as its own clock says.
timestamps_follow()
{
	lines_of "$1" | awk -F '\t' '
		{
			split($1, t, /[-: .]/)
			ahead = mktime(t[1] " " t[2] " " t[3] " " t[4] " " t[5] " " t[6]) - int($4 / 1e9)
			if (NR == 1) first = ahead
			group = int((ahead - first - 1800) / 3600) # 0 or 1 second is rounding
			if (NR == 1 || group != last) seen = seen " " group
			last = group
			n[group]++
		}
		END { print "hours" seen; for (g in n) if (n[g] < 15) exit 1; exit split(seen, all, " ") != 3 }'
}

manifest_tells()
{
	jq -e '[.clocks[] | .real_ns - .mono_ns] | [range(1; length) as $i | (.[$i] - .[$i - 1]) / 1e9] |
		[.[] | select(fabs > 60)] | length == 2 and (.[0] + 3600 | fabs) < 30 and (.[1] - 3600 | fabs) < 30' \
		"$1/manifest.json"
}

verify_tells()
{
	"$iotracer" verify "$1" >/tmp/verify.said 2>&1
	local status=$?

	cat /tmp/verify.said
	[ $status = 0 ] && grep -q 'clock was set back by 3[56][0-9][0-9]\.' /tmp/verify.said &&
		grep -q 'clock was set forward by 3[56][0-9][0-9]\.' /tmp/verify.said
}

# numbered DIR STREAM: each file of the stream is listed, and numbers run from 1 to as many as there are
numbered()
{
	local n

	n=$(segments "$1" "$2" | wc -l)
	[ "$(segments "$1" "$2" | sed -n 's/.*_\([0-9]*\)\.csv.*/\1/p')" = "$(seq -f %04.0f "$n")" ] || return
	[ "$(find "$1/$2" -type f | wc -l)" = "$n" ]
}

# at_pace DIR STREAM SECONDS: segments begin so far from each other, never an hour, and not all at once
at_pace()
{
	(cd "$1" && for file in $(segments . "$2"); do zcat -f "$file" | sed -n '2s/.*,//p'; done) | awk -v every="$3" '
		NR > 1 && $1 - before > widest { widest = $1 - before }
		{ before = $1; first = first ? first : $1 }
		END { printf "%d in %.1f s, %.1f s apart at most\n", NR, (before - first) / 1e9, widest / 1e9
		      exit !(NR >= 4 && NR <= (before - first) / 1e9 / every + 3 && widest / 1e9 <= every + 2.5) }'
}

# Snapshots of files have no number: each has a name of its own, and all are in the manifest.
snapshots_apart()
{
	[ "$(segments "$1" filesystem_snapshot | sort | uniq -d)" = '' ] &&
		[ "$(find "$1/filesystem_snapshot" -type f | wc -l)" = "$(segments "$1" filesystem_snapshot | wc -l)" ]
}

# An end is set by the other clock, too: seconds of -d, while the clock goes back
ends_in_time()
{
	local dir=/tmp/duration.trace began status

	rm -rf $dir
	"$iotracer" record -q --no-snapshots -e fs "${options[@]}" -d 4 -o $dir -c nobody &
	for _ in {1..200}; do [ ! -f $dir/manifest.json ] || break; sleep 0.1; done
	began=$(cut -d. -f1 /proc/uptime)
	date -s '1 hour ago' >/dev/null
	for _ in {1..300}; do kill -0 $! 2>/dev/null || break; sleep 0.1; done
	kill -9 $! 2>/dev/null
	wait $!
	status=$?
	date -s '1 hour' >/dev/null
	echo "status $status after $(($(cut -d. -f1 /proc/uptime) - began)) s"
	[ $status = 0 ]
}

# tier NAME
tier()
{
	local dir=/tmp/clock.trace

	rm -rf $dir $work
	mkdir -p $work/tree/{a,b}
	"$iotracer" record -v -o $dir "${options[@]}" -e fs --rotate-time 2 --process-interval 2 --snapshot-interval 3 \
		--snapshot-root $work/tree -- bash /tmp/steps $work $dir
	check "tier $1: each row is there, in the order of mono_ns" all_in_order $dir
	check "tier $1: timestamps follow" timestamps_follow $dir
	check "tier $1: rows are on the disk soon after each step" [ "$(xargs <$work/flushed)" = 'back forward' ]
	check "tier $1: the manifest has both steps" manifest_tells $dir
	check "tier $1: verify says whole, and tells of both" verify_tells $dir
	check "tier $1: segments are numbered in sequence" numbered $dir fs
	check "tier $1: snapshots of processes, too" numbered $dir process
	check "tier $1: those of files have names of their own" snapshots_apart $dir
	check "tier $1: rotation keeps its pace" at_pace $dir fs 2
	check "tier $1: snapshots of processes keep theirs" at_pace $dir process 2
	check "tier $1: those of files, too" at_pace $dir filesystem_snapshot 3
}

if part a; then
	tier_image a
	options=(--image "$rw/image-a")
	tier a
	check 'a trace of 4 seconds takes 4 seconds' ends_in_time
fi
if part c; then
	tier_image c
	options=(--image "$rw/image-c" --no-headers)
	tier c
fi
