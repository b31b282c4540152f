#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Findings that need a machine of their own. Nothing is wrong with one that does nothing: all streams of the whole machine
# for a minute, and `report` finds nothing above low. And one that swaps, in a control group with less memory
# than a program in it takes.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

idle=/mnt/ext4/idle
swapped=/mnt/ext4/swapped
throttled=/mnt/xfs/throttled
bdi=/sys/class/bdi/$(mountpoint -d /mnt/ext4)

# found DIR: severity, id and subject of each
found()
{
	"$iotracer" report "$1" -q -n 0 --section findings --csv >/tmp/found && awk -F, 'NR > 1 { print $2, $1, $4 }' /tmp/found
}

nothing_above_low()
{
	found $idle >/tmp/findings || return
	cat /tmp/findings
	! grep -qE '^(medium|high) ' /tmp/findings
}

# threads of the kernel run at any time
a_minute()
{
	"$iotracer" report $idle -q --json | tr ',' '\n' | awk -F: '
		/"first_ns":/ && (!first || $2 + 0 < first) { first = $2 + 0 }
		/"last_ns":/ && $2 + 0 > last { last = $2 + 0 }
		END { exit !(last - first > 50e9) }'
}

# A buffer of 48 MiB in a group of 16, filled twice
swap()
{
	local group=/sys/fs/cgroup/swapping status

	mkdir -p $group
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	dd if=/dev/zero of=/mnt/ext4/swap bs=1M count=64 && chmod 600 /mnt/ext4/swap && mkswap /mnt/ext4/swap && swapon /mnt/ext4/swap || return
	echo 16M >$group/memory.max
	rm -rf $swapped
	# shellcheck disable=SC2016 # for the other shell
	"$iotracer" record -v --no-snapshots -o $swapped -e ds "${tier_options[@]}" --image "$rw/image-$tier" -- \
		bash -c 'echo $$ >$1/cgroup.procs; exec dd if=/dev/zero of=/dev/null bs=48M count=2' - $group
	status=$?
	swapoff /mnt/ext4/swap
	rmdir $group
	return $status
}

swapping()
{
	found $swapped | tee /tmp/findings
	grep -qE '^(medium|high) swapping swap$' /tmp/findings
}

# A disk that may have 4 MiB of dirty pages, which nobody else uses
throttle()
{
	local status

	echo 1 >"$bdi/strict_limit" && echo 4194304 >"$bdi/max_bytes" || return
	rm -rf $throttled
	"$iotracer" record -v --no-snapshots -o $throttled -e fs,ds,sched "${tier_options[@]}" --image "$rw/image-$tier" -- \
		dd if=/dev/zero of=/mnt/ext4/throttled bs=1M count=96
	status=$?
	echo 100 >"$bdi/max_ratio"
	echo 0 >"$bdi/strict_limit"
	return $status
}

throttled()
{
	"$iotracer" why $throttled -q --by waker
	found $throttled | tee /tmp/findings
	grep -qE '^low dirty-throttled dd ' /tmp/findings
}

for tier in a c; do
	part $tier || continue
	tier_image $tier
	tier_options $tier
	# what a request is for is not known in tier c
	if [ $tier = c ]; then
		:
	elif [ -f /proc/swaps ] && [ -f /sys/fs/cgroup/cgroup.controllers ] && grep -qw memory /sys/fs/cgroup/cgroup.controllers; then
		check "tier $tier: recorded: a program with too little memory" swap
		check "tier $tier: swapping" swapping
	else
		skip "tier $tier: no swap, or no memory of control groups"
	fi
	if [ -f "$bdi/strict_limit" ]; then
		check "tier $tier: recorded: more writes than a disk takes" throttle
		check "tier $tier: dirty-throttled" throttled
	else
		skip "tier $tier: no limit of dirty pages for one disk"
	fi
	rm -rf $idle
	check "tier $tier: a minute of all streams" "$iotracer" record -v -o $idle -e +sched,+layers --drops "${tier_options[@]}" \
		--image "$rw/image-$tier" -d 60
	check "tier $tier: rows of it" a_minute
	check "tier $tier: nothing above low" nothing_above_low
done
