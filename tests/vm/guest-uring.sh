#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream iouring in tiers a and b: what tests/live/uring*.sh claim. The images are
# compiled on the host. Kernels differ in it more than in anything else.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

ip link set lo up 2>/dev/null || ifconfig lo up
tier_image a
if ! grep -q 'sys_io_uring_setup$' /proc/kallsyms; then
	live_tier a uring-absent
	exit $cases_failed
fi
if part a; then
	live_tier a uring uring-ways uring-steps uring-device uring-programs
fi
if part b; then
	tier_image b
	live_tier b uring-ways uring-steps uring-device
fi
