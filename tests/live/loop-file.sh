#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is written to the file of a loop device repeats what was written to the device: stream layers counts it
# apart. A later file with the number of that file's inode, which XFS gives to the next one, has data of its own.
. "$(dirname "$0")/lib.sh"

[ "$LIVE_TIER" != c ] || skip_all 'without layouts there are no counts (layers.sh)'
for tool in losetup mkfs.xfs; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
undo()
{
	[ ! -s loop ] || losetup -d "$(cat loop)"
	! mountpoint -q "$tmp/fs" || umount "$tmp/fs"
} 2>/dev/null
truncate -s 400M disk
mkdir fs
{ mkfs.xfs -q disk && mount -o loop disk fs; } 2>said || skip_all "no XFS on a loop device: $(tail -n 1 said)"

cat >steps <<-'END'
	dd if=/dev/zero of=fs/image bs=1M count=4 conv=fsync status=none
	losetup -f --show fs/image >loop
	sleep 2.5
	dd if=/dev/zero of="$(cat loop)" bs=1M count=3 conv=fsync status=none
	sync -f fs
	stat -c %i fs/image >inodes
	losetup -d "$(cat loop)"
	: >loop
	rm fs/image
	sync -f fs
	sleep 2.5
	head -c 8388608 /dev/zero >fs/next
	sync -f fs
	stat -c %i fs/next >>inodes
END
check 'recorded' record loops -e layers,exec -- sh steps
# counted COMMAND CLASS: bytes that devices wrote for it
counted()
{
	cells loops layers command,layer,operation,class,bytes |
		awk -F'\t' -v command="$1" -v class="$2" '$1 == command && $2 == "BLOCK" && $3 == "WRITE" && $4 == class { n += $5 } END { print n + 0 }'
}
check "what reaches the file of a loop device is told as such ($(counted dd loop))" [ "$(counted dd loop)" -ge 3145728 ]
if [ "$(sort -u inodes | wc -l)" != 1 ]; then
	skip "the next file has another inode: $(tr '\n' ' ' <inodes)"
else
	check "the next file has its bytes ($(counted head data))" [ "$(counted head data)" -ge 8388608 ]
	equal 'and they repeat nothing' 0 "$(counted head loop)"
fi
