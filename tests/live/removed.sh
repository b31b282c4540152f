#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Disks that come and go while they are traced: all requests have rows, by the disk's name, nothing is
# lost, and nobody is told the same twice. A loop device that is added and removed; in a virtual machine
# (LIVE_WHOLE=1) a SCSI disk that is pulled under load, and a mapping that is removed.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-disks.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-disks.sh"

for tool in jq python3 losetup; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
modprobe loop 2>/dev/null
[ -c /dev/loop-control ] || skip_all 'no loop devices can be added here'
number=1077
undo()
{
	umount "$tmp/mnt" 2>/dev/null
	dmsetup remove --force iotracer-gone 2>/dev/null
	losetup -d /dev/loop$number 2>/dev/null
	python3 control.py 0x4c81 $number 2>/dev/null
}
cat >control.py <<'END_PY'
import fcntl, os, sys
fcntl.ioctl(os.open("/dev/loop-control", os.O_RDWR), int(sys.argv[1], 0), int(sys.argv[2]))
END_PY
python3 control.py 0x4c80 $number 2>said && python3 control.py 0x4c81 $number || skip_all "$(tail -n 1 said)"

# node NAME: makes the special file that udev would make
node()
{
	[ -b "/dev/$1" ] || mknod "/dev/$1" b "$(cut -d: -f1 "/sys/block/$1/dev")" "$(cut -d: -f2 "/sys/block/$1/dev")"
}

cat >comes.sh <<END_SH
add()
{
	python3 control.py 0x4c80 $number
	[ -b /dev/loop$number ] || mknod /dev/loop$number b \$(tr : ' ' </sys/block/loop$number/dev)
	losetup /dev/loop$number \$1
	cat /sys/block/loop$number/dev >number
}
# detached while it is waited for, and removed
drop()
{
	losetup -d /dev/loop$number
	until python3 control.py 0x4c81 $number 2>/dev/null; do sleep 0.1; done
	rm -f /dev/loop$number
}
truncate -s 8M one two
sleep 1.2
add one
dd if=/dev/zero of=/dev/loop$number bs=4096 count=37 oflag=direct conv=notrunc status=none
dd if=/dev/loop$number of=/dev/null bs=4096 count=11 iflag=direct status=none
drop
add two
dd if=/dev/zero of=/dev/loop$number bs=8192 count=23 oflag=direct conv=notrunc status=none
drop
sleep 1.2
END_SH

# of_dd SESSION: the disk's rows of dd
of_dd()
{
	cells "$1" ds command,dev,operation,size | awk -F'\t' -v dev="$(cat number)" '$1 == "dd" && $2 == dev { n[$3 " " $4]++ } END { for (k in n) print n[k], k }' | LC_ALL=C sort
}

# fine SESSION: no loss, nothing twice
fine()
{
	cells "$1" lost stream,reason,count | sed "s/^/# $1: lost: /"
	# a completion that interrupts what the kernel hides from tracing is seen by nobody: see layers.sh
	check "$1: nothing else is lost" [ "$(cells "$1" lost stream | grep -cv '^ds$')" = 0 ]
	check "$1: nothing is in flight" [ "$(jq '.under_way | length' "$1/manifest.json")" = 0 ]
	check "$1: the trace is whole" "$IOTRACER" verify -q "$1"
	check "$1: no message twice" [ -z "$(grep -v 'rows$\|segments\|busiest' "$1.log" | sort | uniq -d)" ]
}

layers=,layers
[ "$LIVE_TIER" != c ] || layers=
check 'loop: recorded' record loop -e fs,ds,exec$layers -- sh comes.sh
check 'loop: all its requests have rows' cmp <(of_dd loop) <(printf '11 read 4096\n23 write 8192\n37 write 4096\n')
fine loop
check 'loop: its name is in the manifest' [ "$(jq -r --arg dev "$(cat number)" '.devices[] | select(.device == $dev) | .name' loop/manifest.json)" = loop$number ]
check 'loop: and in tables' [ "$("$IOTRACER" amp loop -q --by device --csv | grep -c ",loop$number,")" = 1 ]
if [ -n "$layers" ]; then
	equal 'loop: counted' "$((37 * 4096 + 23 * 8192))" "$(cells loop layers command,layer,operation,class,bytes |
		awk -F'\t' '$1 == "dd" && $2 == "BLOCK" && $3 == "WRITE" && $4 != "loop" { n += $5 } END { print n + 0 }')"
fi

if [ -z "${LIVE_WHOLE:-}" ]; then
	skip 'a SCSI disk, a mapping: in virtual machines'
	exit
fi
modprobe -a sd_mod dm-mod 2>/dev/null
if ! scsi_disk dev_size_mb=64; then
	skip 'SCSI: no module scsi_debug'
	exit
fi
cat "/sys/block/$scsi/dev" >number
mkdir -p mnt

# under load, with a file system on it that stays mounted
check 'SCSI: a file system' mkfs.ext4 -q -F "/dev/$scsi"
check 'SCSI: and it is mounted' mount "/dev/$scsi" mnt
record_in_background pulled -e fs,ds,exec$layers
python3 "$tests_dir/readers/loads.py" write_until_it_fails >did &
writer=$!
pids+=("$writer")
sleep 2
echo 1 >"/sys/block/$scsi/device/delete"
wait $writer
umount -l mnt
sleep 1.5
end_tracer
read -r n errno <did
rows=$(cells pulled ds dev,operation,cause,error,size | awk -F'\t' -v dev="$(cat number)" '$1 == dev && $2 == "write" && $3 == "direct" && $4 == "" { n += $5 / 4096 } END { print n + 0 }')
check "SCSI: the writer was told ($n writes, errno $errno)" [ "$n" -gt 0 -a "$errno" -gt 0 ]
lost=$(lost pulled ds)
# the write that failed may have reached the disk before its file system, read-only by then, failed it
check "SCSI: each of its writes has a row, or is lost ($n of $rows and $lost)" [ "$rows" -le $((n + 1)) -a $((rows + lost)) -ge "$n" ]
fine pulled
check 'SCSI: its name is in tables' [ "$("$IOTRACER" amp pulled -q --by device --csv | grep -c ",$scsi,")" = 1 ]

# a mapping, by force while it is open
python3 control.py 0x4c80 $number
node loop$number
truncate -s 32M three
losetup /dev/loop$number three
cat "/sys/block/loop$number/dev" >number
record_in_background mapped -e fs,ds,exec$layers
dmsetup create iotracer-gone --table "0 65536 linear /dev/loop$number 0"
mapped=/dev/dm-$(dmsetup info -c --noheadings -o minor iotracer-gone)
dd if=/dev/zero of="$mapped" bs=4096 count=41 oflag=direct conv=notrunc status=none
{
	exec 9<"$mapped"
	sleep 3
} &
dmsetup remove --force iotracer-gone >/dev/null 2>&1
dd if=/dev/zero of="$mapped" bs=4096 count=1 oflag=direct conv=notrunc status=none 2>said
wait $!
dmsetup remove iotracer-gone 2>/dev/null
end_tracer
check 'mapping: refused after its end' [ -s said ]
equal 'mapping: what was written has rows of the device below' '41 write 4096' "$(of_dd mapped)"
fine mapped
