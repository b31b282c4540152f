#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Network streams in tiers a and b: the calls of tests/live/net.sh,
# whose rows are the same in every tier; in tier a short connections, programs that nobody here
# wrote, and what only the kernel's functions show. The images are compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

ip link set lo up 2>/dev/null || ifconfig lo up
export LIVE_CONNECTIONS=3000 LIVE_BYTES=1000000
tier_image a
! part a || live_tier a net
! part kernel || live_tier a net-kernel net-short net-programs
if part b; then
	tier_image b
	live_tier b net
fi
