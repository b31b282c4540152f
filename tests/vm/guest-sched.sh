#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream sched: what tests/live/sched.sh claims, in tier a, whose image is compiled on the host,
# and in tier c.

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
check 'tier a: compiled on the host' image sched -e sched,exec
for tier in a c; do
	[ $tier = a ] && image=$rw/image-sched || image=
	LIVE_TIER=$tier LIVE_IMAGE=$image TMPDIR=/mnt/ext4 /bin/bash "$srcdir/tests/live/sched.sh" |
		sed "s/^\(PASS\|FAIL\|SKIP\): /&tier $tier: /"
done
