#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream iouring in tiers a and b: what tests/live/uring*.sh claim. The images are
# compiled on the host. Kernels differ in it more than in anything else.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

iotracer=$builddir/iotracer
rw=/host-rw

# tier NAME SCRIPT...: the claims of live tests, in this tier
tier()
{
	local tier=$1 script

	shift
	for script; do
		LIVE_TIER=$tier LIVE_IMAGE=$rw/image-$tier TMPDIR=/mnt/ext4 /bin/bash "$srcdir/tests/live/$script.sh" |
			sed "s/^\(PASS\|FAIL\|SKIP\): /&tier $tier: $script: /"
	done
}

ip link set lo up 2>/dev/null || ifconfig lo up
check 'tier a: compiled on the host' image a
if ! grep -q 'sys_io_uring_setup$' /proc/kallsyms; then
	tier a uring-absent
	exit $cases_failed
fi
if spared 6.1 6.12; then
	skip 'tier a: seen on 5.10 and the newest'
else
	tier a uring uring-ways uring-steps uring-device uring-programs
fi
if spared 5.10 6.12 backports; then
	skip 'tier b: seen on 6.1'
else
	check 'tier b: compiled on the host' image b --no-kprobes
	tier b uring-ways uring-steps uring-device
fi
