#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Filters in tiers a and b: the claims of tests/live/filters.sh, with images that are compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

for tier in a b; do
	part $tier || continue
	tier_image $tier
	live "tier $tier" filters LIVE_TIER=$tier "LIVE_IMAGE=$rw/image-$tier"
done
