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
check 'tier a: compiled on the host' image a
live_tier a net
if spared 5.10 6.12 backports; then
	skip 'short connections, programs and the kernel itself: seen on 6.1'
else
	live_tier a net-kernel net-short net-programs
fi
if spared 5.10 6.1 6.12 backports; then
	skip 'tier b: seen by make check'
else
	check 'tier b: compiled on the host' image b --no-kprobes
	live_tier b net
fi
