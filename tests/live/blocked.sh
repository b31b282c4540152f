#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads that are under way at the same time, 5,000 of them: each has its row, or is
# among what was lost, and what is read meanwhile has its rows, too.
. "$(dirname "$0")/lib.sh"

blocked=$(program conform_blocked) || skip_all 'conform_blocked is not built and cannot be'
head -c 4096 /dev/zero >F
"$blocked" F 5000 2>why || skip_all "5,000 threads cannot wait at once here: $(<why)"

# sizes SESSION: how many reads of one byte and of two there are, and losses of stream fs
sizes()
{
	cells "$1" fs operation,size,command,return_value |
		awk -F'\t' -v OFS=' ' '$1 == "READ" && $3 ~ /^conform_blocked/ && $2 == $4 { n[$2]++ } END { print n[1] + 0, n[2] + 0 }'
	lost "$1" fs
}

# counted SESSION THREADS
counted()
{
	local one two lost

	{ read -r one two; read -r lost; } < <(sizes "$1")
	check "$2 at once: $one rows and $lost lost" [ $((one + lost)) = "$2" ]
	check "$2 at once: what is read meanwhile has its rows, too ($two)" [ "$two" = 100 ]
	one_at_once=$one
}

record few -e fs -m 4096 -- "$blocked" "$tmp/F" 5000
counted few 5000
check '5,000 at once: none is lost' [ "$one_at_once" = 5000 ]
