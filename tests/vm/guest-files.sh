#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How files are used, and amplification, in tier a: what tests/live/files.sh, files-fio.sh, fio-async.sh, amp.sh, effects.sh, owners.sh, layers.sh and charged.sh claim. The image is
# compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

tier_image a
check 'counters alone: compiled on the host' image counts -e layers,exec
scripts=()
! part readers || scripts+=(files files-fio fio-async amp effects)
! part counters || scripts+=(owners layers charged)
for script in "${scripts[@]}"; do
	place="/mnt/ext4 /mnt/xfs"
	[ "$script" != charged ] || place=/mnt/xfs # TMPDIR is on the other
	live "$script" "$script" "LIVE_COUNTS=$rw/image-counts" "LIVE_OWNERS=$place" LIVE_FILES=5000 LIVE_TIER=a "LIVE_IMAGE=$rw/image-a"
done
