#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How files are used, and amplification, in tier a: what tests/live/files.sh, files-fio.sh, amp.sh, owners.sh, layers.sh and charged.sh claim. The image is
# compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

seen_elsewhere 'seen on 5.10' 6.1 6.12 backports
check 'compiled on the host' image a
check 'counters: compiled on the host' image layers -e layers,fs,ds,exec
check 'counters alone: compiled on the host' image counts -e layers,exec
scripts='files files-fio amp owners layers charged'
if spared 5.10; then
	skip 'files, files-fio and amp: seen by make check'
	scripts='owners layers charged'
fi
for script in $scripts; do
	image=$rw/image-a place="/mnt/ext4 /mnt/xfs"
	[ $script != layers ] || image=$rw/image-layers
	[ $script != charged ] || place=/mnt/xfs # TMPDIR is on the other
	live $script $script "LIVE_COUNTS=$rw/image-counts" "LIVE_OWNERS=$place" LIVE_FILES=5000 LIVE_TIER=a "LIVE_IMAGE=$image"
done
