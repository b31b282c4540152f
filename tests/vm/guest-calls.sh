#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Columns call and ofd of stream fs, names on mounts that are nowhere, calls that never begin: what calls.sh, gone.sh and refused.sh claim,
# in tiers a and b. The images are compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

for tier in a b; do
	part $tier || continue
	tier_image $tier
	live_tier $tier calls gone refused
done
