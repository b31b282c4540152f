#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Network streams in tiers a and b: the calls of tests/live/net.sh,
# whose rows are the same in every tier; in tier a short connections, programs that nobody here
# wrote, and what only the kernel's functions show. The images are compiled on the host.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

iotracer=$builddir/iotracer
rw=/host-rw

# tier NAME SCRIPT...: the claims of these live tests, in this tier
tier()
{
	local name=$1 script

	shift
	for script; do
		LIVE_TIER=$name LIVE_IMAGE=$rw/image-$name TMPDIR=/mnt/ext4 \
			/bin/bash "$srcdir/tests/live/$script.sh" |
			sed "s/^\(PASS\|FAIL\|SKIP\): /&tier $name: $script: /"
	done
}

ip link set lo up 2>/dev/null || ifconfig lo up
export LIVE_CONNECTIONS=3000 LIVE_BYTES=1000000
check 'tier a: compiled on the host' image a
tier a net
if spared 5.10 6.12 backports; then
	skip 'short connections, programs and the kernel itself: seen on 6.1'
else
	tier a net-kernel net-short net-programs
fi
if spared 5.10 6.12 backports; then
	skip 'tier b: seen on 6.1'
else
	check 'tier b: compiled on the host' image b --no-kprobes
	tier b net
fi
