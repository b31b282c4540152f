#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Network streams in tiers a and b: the calls of tests/live/net.sh, whose rows
# are the same in every tier. The images are compiled on the host.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

iotracer=$builddir/iotracer
rw=/host-rw

# tier NAME: the claims of the live test, in this tier
tier()
{
	LIVE_TIER=$1 LIVE_IMAGE=$rw/image-$1 TMPDIR=/mnt/ext4 /bin/bash "$srcdir/tests/live/net.sh" |
		sed "s/^\(PASS\|FAIL\|SKIP\): /&tier $1: /"
}

ip link set lo up 2>/dev/null || ifconfig lo up
check 'tier a: compiled on the host' image a
tier a
if spared 5.10 6.12; then
	skip 'tier b: seen on 6.1 and 7.2'
else
	check 'tier b: compiled on the host' image b --no-kprobes
	tier b
fi
