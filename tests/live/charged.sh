#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What requests are charged to: two control groups of version 2, of which one writes through the cache and the
# other reads and writes directly; the rows of each are the bytes that its io.stat counts, whoever submits
# them. And what all rows of a device add up to is what /sys/block counts, where the whole machine is traced (in a VM).
#   LIVE_OWNERS  a directory on a file system, of a device that nobody else uses
# alone: it calls sync(2), and empties the page cache
. "$(dirname "$0")/lib.sh"

groups=/sys/fs/cgroup
grep -qsw io $groups/cgroup.controllers || skip_all 'the controller io is not in control groups of version 2'
command -v python3 >/dev/null || skip_all 'python3 is not installed'
place=${LIVE_OWNERS:-}
place=${place%% *}
[ -n "$place" ] || skip_all 'no device of its own: LIVE_OWNERS'
source=$(findmnt -no SOURCE -T "$place")
disk=$(lsblk -ndo PKNAME "$source" 2>/dev/null)
[ -n "$disk" ] || disk=${source#/dev/}
device=$(cat "/sys/block/$disk/dev") || skip_all "$source is not a disk"

undo()
{
	rmdir $groups/iot-cached $groups/iot-direct
}
# what else is mounted there must not fall into another device's numbers
echo +io >$groups/cgroup.subtree_control || skip_all 'the controller io cannot be used'
echo +memory >$groups/cgroup.subtree_control 2>/dev/null
mkdir $groups/iot-cached $groups/iot-direct || exit

cat >load.sh <<'END'
# moment DISK FILE: what the kernel counts of a disk, and when: nothing completed while the clock was read
moment()
{
	local counts again now

	while :; do
		read -r counts <"/sys/block/$1/stat"
		{ read -r _ && read -r _ && read -r _ _ now _; } </proc/timer_list # now at N nsecs
		read -r again <"/sys/block/$1/stat"
		[ "$counts" = "$again" ] && break
		sleep 0.01
	done
	echo "$counts" >"$2"
	echo "$now" >"$2.clock"
}
moment "$3" "$2/before"
(
	echo $BASHPID >/sys/fs/cgroup/iot-cached/cgroup.procs
	dd if=/dev/zero of="$1/cached" bs=64k count=48
	sync
) 2>/dev/null
(
	echo $BASHPID >/sys/fs/cgroup/iot-direct/cgroup.procs
	dd if=/dev/zero of="$1/direct" bs=16k count=64 oflag=direct
	dd if="$1/cached" of=/dev/null bs=32k count=16 iflag=direct
) 2>/dev/null
sync
moment "$3" "$2/after"
END
sync
echo 3 >/proc/sys/vm/drop_caches
if [ -n "${VM_RELEASE:-}" ]; then
	check 'recorded' record_in_background c -m 16384 -e fs,ds
	bash load.sh "$place" "$PWD" "$disk"
	end_tracer
else
	check 'recorded' record c -m 16384 -e fs,ds -- bash load.sh "$place" "$PWD" "$disk"
fi
check 'nothing was lost' no_loss c
python3 "$tests_dir/readers/charged.py" "$device" "$LIVE_TIER" >told
cat told
for what in cached direct ${VM_RELEASE:+device}; do
	check "$what: rows are what the kernel counts" grep -q "^ok $what" told
done
