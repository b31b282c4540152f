#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Columns call and ofd of stream fs: what tests/live/calls.sh claims, in tiers a and b. The images
# are compiled on the host.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

iotracer=$builddir/iotracer
rw=/host-rw

for tier in a b; do
	if [ $tier = a ]; then
		check 'tier a: compiled on the host' image a
	else
		check 'tier b: compiled on the host' image b --no-kprobes
	fi
	LIVE_TIER=$tier LIVE_IMAGE=$rw/image-$tier TMPDIR=/mnt/ext4 /bin/bash "$srcdir/tests/live/calls.sh" |
		sed "s/^\(PASS\|FAIL\|SKIP\): /&tier $tier: /"
done
