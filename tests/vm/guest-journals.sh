#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whose a commit of a journal is, in tier a, and of the whole machine: what tests/live/journals.sh and journals-xfs.sh claim.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

tier_image a
whole=(LIVE_WHOLE=1 LIVE_TIER=a "LIVE_IMAGE=$rw/image-a")
live journals journals "${whole[@]}"
# where XFS has the features that this kernel knows
live journals-xfs journals-xfs "${whole[@]}" LIVE_JOURNAL=/mnt/xfs
