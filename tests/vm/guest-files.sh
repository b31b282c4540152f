#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How files are used, and amplification, in tier a: what tests/live/files.sh, files-fio.sh, amp.sh, owners.sh and layers.sh claim. The image is
# compiled on the host.

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
check 'compiled on the host' image a
check 'counters: compiled on the host' image layers -e layers,fs,ds,exec
for script in files files-fio amp owners layers; do
	image=$rw/image-a
	[ $script != layers ] || image=$rw/image-layers
	LIVE_OWNERS="/mnt/ext4 /mnt/xfs" LIVE_FILES=5000 LIVE_TIER=a LIVE_IMAGE=$image TMPDIR=/mnt/ext4 /bin/bash "$srcdir/tests/live/$script.sh" |
		sed "s/^\(PASS\|FAIL\|SKIP\): /&$script: /"
done
