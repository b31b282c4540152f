#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One layer on top of another, in tier a, and of the whole machine: what tests/live/stacks.sh, bios.sh, partitions.sh and
# removed.sh claim; bios.sh in tier c, too.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

tier_image a
for script in stacks bios partitions removed; do
	live $script $script LIVE_WHOLE=1 LIVE_TIER=a "LIVE_IMAGE=$rw/image-a"
done
tier_image c
live_tier c bios
