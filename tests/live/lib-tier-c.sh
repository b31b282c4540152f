# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scripts once more as on a machine whose layouts are unknown (tier c), where this machine's own tier is a
# better one. Sourced, never run.

# in_tier_c SCRIPT...: all of them, and ends: 77 when none could be
in_tier_c()
{
	local script status failed=0 ran=0

	if [ ! -e /sys/kernel/btf/vmlinux ] && [ ! -d "/lib/modules/$(uname -r)/build/include" ]; then
		echo 'SKIP: the scripts themselves run in tier c here'
		exit 77
	fi
	export LIVE_TIER=c
	for script; do
		echo "== $script"
		bash "$(dirname "${BASH_SOURCE[0]}")/$script.sh"
		status=$?
		[ $status = 77 ] || ran=1
		[ $status = 0 ] || [ $status = 77 ] || failed=1
	done
	[ $failed = 0 ] || exit 1
	[ $ran = 1 ] || exit 77
	exit 0
}
