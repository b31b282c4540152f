#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Requests of a disk with two partitions, told by the disk and by the partition:
# a loop device, whose requests are those of the program that writes to it.
. "$(dirname "$0")/lib.sh"

command -v losetup addpart >/dev/null || skip_all 'losetup and addpart (util-linux) are needed'
truncate -s 64M image || exit 1
loop=$(losetup -f --show "$tmp/image" 2>/dev/null) || skip_all 'no loop device can be made here'
undo()
{
	delpart "$loop" 1
	delpart "$loop" 2
	losetup -d "$loop"
} 2>/dev/null
addpart "$loop" 1 2048 20480 && addpart "$loop" 2 22528 100000 || skip_all "$loop cannot have partitions"
name=${loop#/dev/}
disk=$(cat "/sys/block/$name/dev")
first=$(cat "/sys/block/$name/${name}p1/dev")
second=$(cat "/sys/block/$name/${name}p2/dev")

cat >requests <<-END
	dd if=/dev/zero of=$loop bs=4096 count=7 seek=256 oflag=direct conv=notrunc
	dd if=/dev/zero of=$loop bs=4096 count=5 seek=2816 oflag=direct conv=notrunc
	dd if=/dev/zero of=$loop bs=4096 count=3 oflag=direct conv=notrunc
	dd if=$loop of=/dev/null bs=4096 count=2 skip=256 iflag=direct
END

# Of dd's rows those of this disk: where memory is short, what dd itself consists of is read again from its own.
of_disk()
{
	cells "$1" ds command,operation,size,dev,sector |
		awk -F'\t' -v devices="$disk $first $second" '$1 == "dd" && index(" " devices " ", " " $4 " ")'
}

# rows SESSION: operation, bytes and device, counted
rows()
{
	of_disk "$1" | awk -F'\t' '{ n[$2 " " $3 " " $4]++ } END { for (is in n) print n[is], is }' | LC_ALL=C sort
}

record disk -e ds -- sh requests 2>/dev/null
check 'the whole disk by default' cmp <(rows disk) <(printf '%s\n' "15 write 4096 $disk" "2 read 4096 $disk" |
	LC_ALL=C sort)
record partition -e ds --dev=partition -- sh requests 2>/dev/null
check '--dev=partition: the partition in which the first sector lies' cmp <(rows partition) \
	<(printf '%s\n' "7 write 4096 $first" "5 write 4096 $second" "3 write 4096 $disk" "2 read 4096 $first" |
		LC_ALL=C sort)
check 'the sector stays that of the whole disk' [ "$(of_disk partition | cut -f 5 | head -n 1)" = 2048 ]
check 'names and places of partitions in the manifest' jq -e --arg name "${name}p2" --arg dev "$second" \
	--arg disk "$disk" '.devices[] | select(.name == $name) | .device == $dev and .disk == $disk and
		.first_sector == 22528 and .sectors == 100000' partition/manifest.json
"$IOTRACER" record -o none --dev=sector 2>wrong
check 'an unknown word is wrong usage' [ $? = 2 ]
check 'and one message' one_message wrong
