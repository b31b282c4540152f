#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream sched: what tests/live/sched.sh claims, in tier a, whose image is compiled on the host,
# and in tier c.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

seen_elsewhere 'seen on 5.10' 6.1 6.12 backports
check 'tier a: compiled on the host' image sched -e sched,exec
for tier in a c; do
	[ $tier = a ] && image=$rw/image-sched || image=
	live "tier $tier" sched LIVE_TIER=$tier "LIVE_IMAGE=$image"
done
