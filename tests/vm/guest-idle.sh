#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nothing is wrong with a machine that does nothing: all streams of the whole machine for a minute, and `report` finds
# nothing above low. Here, since no other machine of ours is idle.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

idle=/mnt/ext4/idle

# found: severity, id and subject of each
found()
{
	"$iotracer" report $idle -q -n 0 --section findings --csv >/tmp/found && awk -F, 'NR > 1 { print $2, $1, $4 }' /tmp/found
}

nothing_above_low()
{
	found >/tmp/findings || return
	cat /tmp/findings
	! grep -qE '^(medium|high) ' /tmp/findings
}

# threads of the kernel run at any time
a_minute()
{
	"$iotracer" report $idle -q --json | tr ',{}' '\n\n\n' | awk -F: '
		/"first_ns":/ && (!first || $2 + 0 < first) { first = $2 + 0 }
		/"last_ns":/ && $2 + 0 > last { last = $2 + 0 }
		END { exit !(last - first > 50e9) }'
}

for tier in a c; do
	part $tier || continue
	tier_image $tier
	tier_options $tier
	rm -rf $idle
	check "tier $tier: a minute of all streams" "$iotracer" record -v -o $idle -e +sched,+layers --drops "${tier_options[@]}" \
		--image "$rw/image-$tier" -d 60
	check "tier $tier: rows of it" a_minute
	check "tier $tier: nothing above low" nothing_above_low
done
