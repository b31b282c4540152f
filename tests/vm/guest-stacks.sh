#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One layer on top of another, in tier a, and of the whole machine: what tests/live/stacks.sh, partitions.sh and removed.sh claim.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

iotracer=$builddir/iotracer
rw=/host-rw

if spared 6.1 backports; then
	echo 'seen on 5.10 and 6.12'
	exit 77
fi
check 'counters: compiled on the host' image layers -e layers,fs,ds,exec
for script in stacks partitions removed; do
	LIVE_WHOLE=1 LIVE_TIER=a LIVE_IMAGE=$rw/image-layers TMPDIR=/mnt/ext4 /bin/bash "$srcdir/tests/live/$script.sh" |
		sed "s/^\(PASS\|FAIL\|SKIP\): /&$script: /"
done
