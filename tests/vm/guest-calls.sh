#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Columns call, ofd and given of stream fs, names on mounts that are nowhere, calls that never begin: what calls.sh, given.sh, gone.sh
# and refused.sh claim, in tiers a and b. The images are compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

for tier in a b; do
	part $tier || continue
	tier_image $tier
	live_tier $tier calls gone refused
	tier_options $tier
	check "tier $tier: its image with names as given" image given-$tier -e fs --given "${tier_options[@]}"
	live "tier $tier: given" given "LIVE_TIER=$tier" "LIVE_IMAGE=$rw/image-given-$tier"
done
