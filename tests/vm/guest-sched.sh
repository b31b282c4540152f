#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream sched: what tests/live/sched.sh and (in tier a) why.sh claim, in tiers a and c, whose images are compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

for tier in a c; do
	part $tier || continue
	tier_image $tier
	live "tier $tier" sched LIVE_TIER=$tier "LIVE_IMAGE=$rw/image-$tier"
	[ $tier = c ] || live "tier $tier" why LIVE_TIER=$tier "LIVE_IMAGE=$rw/image-$tier"
done
