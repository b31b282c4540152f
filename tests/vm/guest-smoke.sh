#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What every other test script may take for granted in a guest.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"

tracefs=/sys/kernel/tracing
headers=/lib/modules/$(uname -r)/build

mounted()
{
	awk -v at="$1" -v type="$2" '$2 == at && $3 == type { found = 1 } END { exit !found }' /proc/mounts
}

kprobe_comes_and_goes()
{
	echo 'p:vm_smoke/probe vfs_read' >>$tracefs/kprobe_events || return
	grep -q vm_smoke/probe $tracefs/kprobe_events || return
	echo '-:vm_smoke/probe' >>$tracefs/kprobe_events || return
	! grep -q vm_smoke $tracefs/kprobe_events
}

headers_found()
{
	[ -f "$headers/include/generated/autoconf.h" ] || return
	[ -f "$headers/include/linux/fs.h" ] || [ -f "${headers%build}source/include/linux/fs.h" ]
}

direct_write()
{
	dd if=/dev/zero of="$1/smoke" bs=4096 count=3 oflag=direct 2>&1 || return
	[ "$(stat -c %s "$1/smoke")" = 12288 ]
}

check 'the kernel is the one asked for' [ "$(uname -r)" = "${VM_RELEASE:-$(uname -r)}" ]
check 'tracefs is mounted' mounted $tracefs tracefs
check 'debugfs is mounted' mounted /sys/kernel/debug debugfs
check 'kprobe_events takes a probe and gives it back' kprobe_comes_and_goes
if [ -z "${VM_LAYOUT:-}" ]; then
	check 'the kernel headers are where libbcc looks' headers_found
else
	check 'the kernel headers are hidden' [ ! -e "$headers/" ]
fi
check 'the ext4 scratch disk takes direct writes' direct_write /mnt/ext4
check 'the xfs scratch disk takes direct writes' direct_write /mnt/xfs
check 'the source directory is visible' [ -f "${srcdir:-.}/tests/vm/guest-smoke.sh" ]
