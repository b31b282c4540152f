#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Columns call and ofd of stream fs: what tests/live/calls.sh claims, in tiers a and b. The images
# are compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

for tier in a b; do
	part $tier || continue
	tier_image $tier
	live "tier $tier" calls LIVE_TIER=$tier "LIVE_IMAGE=$rw/image-$tier"
done
