#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whose a commit of a journal is, in tier a, and of the whole machine: what tests/live/journals.sh and journals-xfs.sh claim.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

seen_elsewhere 'seen on 5.10' 6.1 6.12 backports
check 'counters: compiled on the host' image layers -e layers,fs,ds,exec
for script in journals journals-xfs; do
	place= # where XFS has the features that this kernel knows
	[ $script != journals-xfs ] || place=/mnt/xfs
	live $script $script LIVE_WHOLE=1 LIVE_TIER=a "LIVE_JOURNAL=$place" "LIVE_IMAGE=$rw/image-layers"
done
