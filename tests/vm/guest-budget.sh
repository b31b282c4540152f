#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --budget: what tests/live/budget.sh claims, in tier a, whose image is compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

tier_image a
live "tier a" budget LIVE_TIER=a "LIVE_IMAGE=$rw/image-a"
