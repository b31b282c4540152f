# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Devices that guest-block.sh makes: stacked, mirrored, zoned, full, broken, too large, and one that
# hangs. Each do_X happens in one trace; X, later, is the claim of it. Sourced, never run.

# shellcheck source=../live/lib-disks.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/../live/lib-disks.sh"

number_of()
{
	cat "/sys/block/${1#/dev/}/dev"
}

# sum DEV OPERATION [FIRST-SECTOR END-SECTOR [COMMAND]]: bytes of its rows
sum()
{
	cells $work/devices ds dev,operation,sector,size,command | awk -F '\t' -v dev="$1" -v op="$2" \
		-v first="${3:-0}" -v end="${4:-0}" -v command="${5:-}" '
		$1 == dev && $2 == op && (!end || ($3 >= first && $3 < end)) && (command == "" || $5 == command) { n += $4 }
		END { print n + 0 }'
}

# same SUM BYTES
same()
{
	[ "$1" = "$2" ] || { [ "$1" -lt "$2" ] && [ "$(losses devices)" -gt 0 ]; }
}

direct()
{
	dd "$@" 2>>$work/dd.log
}

# dm, if there is such a thing, on a loop device on a file on a disk
do_stack()
{
	local top

	top=$loop
	modprobe dm-mod 2>/dev/null
	if dmsetup create stacked --table "0 32768 linear $loop 0" 2>$work/dmsetup.log; then
		top=/dev/dm-$(dmsetup info -c --noheadings -o minor stacked)
		number_of "$top" >$work/dm
	else
		cannot dm "no device mapper: $(tail -n 1 $work/dmsetup.log)"
	fi
	direct if=/dev/zero of="$top" bs=64k count=101 oflag=direct conv=notrunc
	direct if="$top" of=/dev/null bs=64k count=37 iflag=direct
	[ ! -s $work/dm.skip ] || return
	dmsetup remove stacked
	# what dm itself refuses never was a request
	dmsetup create stacked --table '0 2048 error'
	direct if=/dev/zero of="$top" bs=4k count=1 oflag=direct conv=notrunc && echo 'dm-error did not fail' >$work/dm
	dmsetup remove stacked
}

dm()
{
	[ "$(<$work/dm)" != "$(number_of "$loop")" ] && grep -q : $work/dm &&
		! cells $work/devices ds dev | grep -qx "$(<$work/dm)"
}

# stacked OPERATION: bytes of dd on the loop device, and of anybody on its file's sectors meanwhile
stacked()
{
	cells $work/devices ds dev,operation,command,sector,size,mono_ns,latency_ms |
		awk -F '\t' -v op="$1" -v loop="$(number_of "$loop")" -v disk="$(number_of "$xdisk")" \
			-v first="$first" -v length_="$length" '
			$2 != op { next }
			$1 == loop && $3 == "dd" && $4 < 32768 {
				above += $5
				end = $6
				if (!start) start = $6 - $7 * 1000000
			}
			$1 == disk && $4 >= first && $4 < first + length_ { n++; size[n] = $5; at[n] = $6 }
			END {
				for (i = 1; i <= n; i++) if (at[i] >= start && at[i] <= end) below += size[i]
				print above + 0, below + 0
			}'
}

stack()
{
	local op bytes above below

	[ "$length" = 32768 ] || { echo 'the file is in pieces'; return 77; }
	for op in write:$((101 * 65536)) read:$((37 * 65536)); do
		bytes=${op#*:}
		read -r above below < <(stacked "${op%:*}")
		echo "${op%:*}: $bytes, loop $above, disk $below"
		same "$above" "$bytes" && same "$below" "$bytes" || return
	done
}

# two loop devices on memory
do_mirror()
{
	if ! command -v mdadm >/dev/null || ! modprobe raid1 2>/dev/null; then
		cannot mirror 'no mdadm, or no module raid1'
		return
	fi
	truncate -s 8M /dev/shm/half1 /dev/shm/half2
	half1=$(losetup -f --show /dev/shm/half1)
	half2=$(losetup -f --show /dev/shm/half2)
	mdadm --build /dev/md9 --level=1 --raid-devices=2 --assume-clean "$half1" "$half2" || return
	number_of md9 >$work/md
	: </dev/md9 # the first to open it reads the partition table
	direct if=/dev/zero of=/dev/md9 bs=64k count=53 oflag=direct conv=notrunc
	direct if=/dev/md9 of=/dev/null bs=64k count=29 iflag=direct
	mdadm --stop /dev/md9
}

mirror()
{
	local one two

	one=$(number_of "$half1") two=$(number_of "$half2")
	echo "written: $(sum "$one" write) $(sum "$two" write), read: $(sum "$one" read 0 16384 dd) + $(sum "$two" read 0 16384 dd)"
	! cells $work/devices ds dev | grep -qx "$(<$work/md)" &&
		same "$(sum "$one" write)" $((53 * 65536)) && same "$(sum "$two" write)" $((53 * 65536)) &&
		same $(($(sum "$one" read 0 16384 dd) + $(sum "$two" read 0 16384 dd))) $((29 * 65536))
}

do_discard()
{
	blkdiscard -o 1M -l 2M "$loop" && blkdiscard -z -o 4M -l 3M "$loop"
}

# Up to 6.14 and without raw programs write_zeroes has no word.
discard()
{
	local zeroes=write_zeroes dev

	dev=$(number_of "$loop")
	! no_raw || zeroes=none
	cells $work/devices ds dev,operation,sector,size,cmd_flags,op_code | grep -P "^$dev\t(discard|$zeroes)"
	same "$(sum "$dev" discard 2048 6144)" $((2 << 20)) && same "$(sum "$dev" discard)" $((2 << 20)) &&
		same "$(sum "$dev" $zeroes 8192 14336)" $((3 << 20)) && same "$(sum "$dev" $zeroes)" $((3 << 20))
}

do_zones()
{
	local null=/sys/kernel/config/nullb/nullb0 set

	modprobe null_blk nr_devices=0 2>/dev/null
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config 2>/dev/null
	if ! grep -qs zoned /sys/kernel/config/nullb/features; then
		cannot zones 'no zoned null_blk'
		return
	fi
	mkdir $null
	for set in size=32 zone_size=4 zoned=1 memory_backed=1 power=1; do
		echo "${set#*=}" >"$null/${set%=*}"
	done
	[ -b /dev/nullb0 ] || return
	number_of nullb0 >$work/null
	direct if=/dev/zero of=/dev/nullb0 bs=64k count=3 oflag=direct conv=notrunc
	blkzone open -o 8192 -c 2 /dev/nullb0
	blkzone close -o 8192 -c 2 /dev/nullb0
	blkzone finish -o 8192 -c 1 /dev/nullb0
	blkzone reset -o 0 -c 1 /dev/nullb0
	blkzone reset -o 8192 -c 1 /dev/nullb0
	blkzone reset /dev/nullb0
	echo 0 >$null/power
	rmdir $null
}

zones()
{
	cells $work/devices ds dev,operation,sector,size,command |
		awk -F '\t' -v dev="$(<$work/null)" '$1 == dev && $2 != "read" { print $2, $3, $4, $5 }' | diff - /dev/fd/3 3<<-END
			write 0 65536 dd
			write 128 65536 dd
			write 256 65536 dd
			zone_open 8192 0 blkzone
			zone_open 16384 0 blkzone
			zone_close 8192 0 blkzone
			zone_close 16384 0 blkzone
			zone_finish 8192 0 blkzone
			zone_reset 0 0 blkzone
			zone_reset 8192 0 blkzone
			zone_reset_all  0 blkzone
		END
}

# A device that says no: its file does not fit into its file system.
do_no_space()
{
	mkdir -p $work/small
	mount -t tmpfs -o size=1m none $work/small
	truncate -s 4M $work/small/file
	full=$(losetup -f --show $work/small/file)
	LC_ALL=C dd if=/dev/zero of="$full" bs=64k count=40 oflag=direct 2>$work/full.log
	losetup -d "$full"
	umount $work/small
}

# Up to what dd says it wrote; then the error that dd was told.
no_space()
{
	local records error

	records=$(sed -n 's/+0 records out//p' $work/full.log)
	case $(<$work/full.log) in
	*'No space left on device'*) error=ENOSPC ;;
	*'Input/output error'*) error=EIO ;;
	*) cat $work/full.log; return 1 ;;
	esac
	# by its sectors: the number of the device may have been another's later
	cells $work/devices ds dev,operation,error,sector | awk -F '\t' -v dev="$(number_of "$full")" -v records="$records" -v error=$error '
		$1 != dev || $2 != "write" || $4 >= 8192 { next }
		$3 == "" { good++ }
		$3 != "" { bad++; wrong += $3 != error }
		END { print good " good, " bad " " error; exit !(good == records && bad == 1 && !wrong) }'
}

# A disk with sectors that cannot be read
do_medium()
{
	if ! modprobe sd_mod 2>/dev/null || ! scsi_disk dev_size_mb=8 opts=2; then
		cannot medium 'no module scsi_debug'
		return
	fi
	number_of "$scsi" >$work/scsi
	# where the driver is built in, the disk is older than the trace
	echo 1 >"/sys/block/$scsi/device/rescan"
	LC_ALL=C dd if="/dev/$scsi" of=/dev/null bs=512 skip=4660 count=1 iflag=direct 2>$work/medium.log
}

medium()
{
	grep -q 'No data available' $work/medium.log &&
		cells $work/devices ds dev,operation,sector,size,error | grep -P "^$(<$work/scsi)\tread\t4660\t512\tENODATA$"
}

# What the driver asked the new disk; numbers of these operations moved, their names did not.
# Without raw programs only the tracepoint's letter tells of them.
driver()
{
	local code='REQ_OP_(SCSI|DRV)_(IN|OUT)'

	! no_raw || code=
	cells $work/devices ds operation,sector,op_code | sort | uniq -c | grep -P "none\t\t$code$"
}

do_above_2_tib()
{
	truncate -s 6T /mnt/xfs/big || return
	big=$(losetup -f --show /mnt/xfs/big) || return
	direct if=/dev/zero of="$big" bs=4096 count=3 seek=$((5 << 28)) oflag=direct conv=notrunc
	losetup -d "$big"
	rm -f /mnt/xfs/big
}

above_2_tib()
{
	[ "$(sum "$(number_of "$big")" write $((5 << 31)) $(((5 << 31) + 24)) dd)" = $((3 * 4096)) ]
}

# A frozen file system below a loop device: its request waits until long after the trace.
do_hang()
{
	hung=$(losetup -f --show /mnt/xfs/second) || return
	sync
	fsfreeze -f /mnt/xfs
	direct if=/dev/zero of="$hung" bs=4096 count=1 seek=5 oflag=direct conv=notrunc &
	hanging=$!
	sleep 2
}

end_hang()
{
	fsfreeze -u /mnt/xfs
	wait "$hanging"
}

hang()
{
	local most=1

	jq -c .under_way $work/devices/manifest.json
	if no_raw; then # one that is late counts as lost there, and lost ones stay
		most=64
		cells $work/devices lost stream,reason,count | grep -P '^ds\tno-return\t[1-9]' || return
	else
		grep 'ds    1 requests still in flight' $work/devices.log || return
	fi
	jq -e --arg dev "$(number_of "$hung")" --argjson most $most '.under_way | length <= $most and any(
		.device == $dev and .sector == 40 and .size == 4096 and .command == "dd")' $work/devices/manifest.json
}

devices()
{
	modprobe loop 2>/dev/null
	xdisk=$(findmnt -no SOURCE /mnt/xfs)
	dd if=/dev/zero of=/mnt/xfs/backing bs=1M count=16 conv=fsync 2>/dev/null
	dd if=/dev/zero of=/mnt/xfs/second bs=1M count=1 conv=fsync 2>/dev/null
	read -r first length < <(filefrag -v -b512 /mnt/xfs/backing |
		awk '$1 == "0:" { gsub(/[.:]/, " "); print $4, $6 }')
	loop=$(losetup -f --show --direct-io=on /mnt/xfs/backing) || return
	trace devices -e ds || return
	do_stack
	do_mirror
	do_discard
	do_zones
	do_no_space
	do_medium
	do_above_2_tib
	do_hang
	stop devices
	end_hang
}
