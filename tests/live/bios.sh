#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Devices that have no requests: zram, the device mapper, md. Each bio has a row of stream bio, as many and as much as
# the kernel counts for the device; requests below name it, and have its owner, also behind dm-crypt; no
# sum has a byte of both.
. "$(dirname "$0")/lib.sh"

for tool in jq losetup; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
modprobe -a zram loop dm-mod dm-crypt raid1 2>/dev/null
mapped=() loops=() zram='' nvme=
target=/sys/kernel/config/nvmet
undo()
{
	local i

	[ -z "$nvme" ] || echo 1 >"/sys/class/nvme/$nvme/delete_controller"
	[ ! -d "$target/ports/77" ] || rm "$target/ports/77/subsystems/iotracer-77"
	[ ! -d "$target/ports/77" ] || rmdir "$target/ports/77" "$target/subsystems/iotracer-77/namespaces/1" "$target/subsystems/iotracer-77"
	! mountpoint -q "$tmp/deep" || umount "$tmp/deep"
	[ ! -b /dev/md77 ] || mdadm -q --stop /dev/md77 2>/dev/null
	for ((i = ${#mapped[@]} - 1; i >= 0; i--)); do
		dmsetup remove --retry "${mapped[i]}"
	done
	for i in "${loops[@]}"; do
		losetup -d "$i"
	done
	[ -z "$zram" ] || zramctl -r "$zram"
}

number_of()
{
	cat "/sys/block/${1#/dev/}/dev"
}

# counters DEVICE: sectors read and written, as the kernel counts them; requests (of parts, where bios are split) apart
counters()
{
	awk '{ print $3, $7, $1, $5 }' "/sys/block/${1#/dev/}/stat"
}

# counted BEFORE AFTER: the difference of counters
counted()
{
	paste -d' ' "$1" "$2" | awk '{ print $5 - $1, $6 - $2, $7 - $3, $8 - $4 }'
}

# of_bios SESSION DEVICE: the same from rows
of_bios()
{
	cells "$1" bio dev,operation,size | awk -F'\t' -v dev="$(number_of "$2")" '
		$1 == dev && $3 { n[$2]++; b[$2] += $3 }
		END { print b["read"] / 512, b["write"] / 512, n["read"] + 0, n["write"] + 0 }'
}

# parts SESSION DEVICE TIMES [early]: of each bio of the device the requests below it have all bytes, so many times,
# and lie within its time, or (early) end just after it
parts()
{
	cells "$1" ds bio_id,size,latency_ms,mono_ns,pid >"$1.below"
	cells "$1" bio part_of,size,latency_ms,mono_ns,pid >>"$1.below"
	cells "$1" bio dev,bio_id,size,latency_ms,mono_ns,pid,queue_time_ms,command | awk -F'\t' -v dev="$(number_of "$2")" -v times="$3" -v early="${4:+1}" '
		NR == FNR {
			n[$1]++
			size[$1] += $2
			begin = $4 - $3 * 1000000
			if (!($1 in first) || begin < first[$1]) first[$1] = begin
			if ($4 > last[$1]) last[$1] = $4
			pid[$1] = $5
			next
		}
		$1 != dev || !$3 || $8 != "dd" { next }
		{
			bios++
			requests += n[$2]
			# times have six places behind the point, of a millisecond
			if (size[$2] != $3 * times || first[$2] < $5 - $4 * 1000000 - 1 || (last[$2] > $5) != (early != "") || pid[$2] != $6 || $7 == "")
				if (++bad < 5) printf "bio %s of %s: %d bytes from %d to %d, below %d bytes of %s from %d to %d\n", $2, $6, $3, $5 - $4 * 1000000, $5, size[$2], pid[$2], first[$2], last[$2]
		}
		END { print bios + 0 " bios, " requests + 0 " below, " bad + 0 " not joined"; exit bad > 0 || !bios }' "$1.below" -
}

# of_file SESSION DEVICE FILE CAUSE: bytes of requests of the device that are the file's, of dd, in parts of bios
of_file()
{
	cells "$1" ds dev,operation,filename,owner_command,cause,size,bio_id | awk -F'\t' -v dev="$(number_of "$2")" -v file="$3" -v cause="$4" '
		$1 == dev && $2 == "write" && $3 == file && $4 == "dd" && $5 == cause && $7 { n += $6 }
		END { print n + 0 }'
}

# of_report SESSION DEVICE BELOW COLUMN
of_report()
{
	[ -s "$1.report" ] || "$IOTRACER" report "$1" -q --json >"$1.report"
	jq -r --arg device "$(number_of "$2")" --arg below "$3" --arg column "$4" '
		.bios[] | select(.device == $device and (.below // "") == $below) | .[$column]' "$1.report"
}

# ---- zram: what is done there is done at once, by the thread that asks ----

if ! command -v zramctl >/dev/null || ! zram=$(zramctl -f -s 16M 2>said); then
	skip "zram: $(tail -n 1 said 2>/dev/null || echo 'no zramctl')"
	zram=
else
	cat >zram.sh <<-END_SH
		dd if=/dev/urandom of=$zram bs=64k count=21 oflag=direct status=none
		dd if=/dev/urandom of=$zram bs=64k count=8 conv=fsync status=none
		dd if=$zram of=/dev/null bs=4k count=13 iflag=direct status=none
	END_SH
	counters "$zram" >before
	check 'zram: recorded' record zram -e fs,ds,bio -- sh zram.sh
	counters "$zram" >after
	equal 'zram: sectors and bios are those that the kernel counts' "$(counted before after)" "$(of_bios zram "$zram")"
	check 'zram: no requests' [ -z "$(cells zram ds dev | grep -x "$(number_of "$zram")")" ]
	equal 'zram: direct writes have their cause and owner' 21 \
		"$(cells zram bio operation,cause,owner_command,size,filename | grep -cxP "write\tdirect\tdd\t65536\t$zram")"
	[ "$LIVE_TIER" = c ] || check 'zram: the page cache of a device, too' [ "$(cells zram bio cause,owner_command | grep -cP 'device\tdd')" -gt 0 ]
	"$IOTRACER" amp zram -q --csv --by comm >zram.amp
	equal 'zram: amp has the bytes of requests alone' "$(cells zram ds operation,size | awk '$1 == "write" || $1 == "read" { n += $2 } END { print n + 0 }')" "$(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^blk_(read|write)_bytes$/) at[i]; next }
		{ for (i in at) n += $i }
		END { print n + 0 }' zram.amp)"
	equal 'zram: the report shows the device' "$(awk '{ print $2 * 512 }' <(of_bios zram "$zram"))" "$(of_report zram "$zram" '' write_bytes)"
	zramctl -r "$zram"
	zram=
fi

# ---- the device mapper, and md, on loop devices ----

# map NAME TABLE...: $device is the new one, as udev is not everywhere
map()
{
	local name=iotracer-$1-$$

	dmsetup create "$name" --table "$2" 2>said || { skip "$1: $(head -n 1 said)"; return 1; }
	mapped+=("$name")
	device=/dev/dm-$(dmsetup info -c --noheadings -o minor "$name")
}

if [ ! -c /dev/mapper/control ] || ! dmsetup targets >/dev/null 2>&1; then
	skip 'dm: this kernel has no device mapper'
	exit
fi
for i in 0 1 2 3 4 5; do
	dd if=/dev/zero of=image$i bs=1M count=24 status=none
	loops[i]=$(losetup -f --show image$i) || { skip 'dm: no loop devices'; exit; }
done
sync -f .
sectors=$((24 << 11))
map linear "0 $((sectors - 100)) linear ${loops[0]} 100" && linear=$device
map above "0 16384 linear $linear 64" && above=$device
map striped "0 $((2 * sectors)) striped 2 128 ${loops[1]} 0 ${loops[2]} 0" && striped=$device
map crypt "0 $((sectors - 8)) crypt aes-xts-plain64 $(printf '5a%.0s' {1..64}) 0 ${loops[3]} 8" && crypt=$device
[ -z "${crypt:-}" ] || ! mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$crypt" || ! mkdir deep || ! mount "$crypt" deep || sync -f deep
mirror=
! command -v mdadm >/dev/null || ! mdadm -q --build /dev/md77 --level=1 --raid-devices=2 --assume-clean "${loops[4]}" "${loops[5]}" 2>said || mirror=/dev/md77
cat >stack.sh <<-END_SH
	dd if=/dev/zero of=$above bs=64k count=7 oflag=direct status=none
	dd if=$above of=/dev/null bs=4k count=5 iflag=direct status=none
	dd if=/dev/zero of=$striped bs=1M count=3 oflag=direct status=none
	dd if=/dev/zero of=$linear bs=64k count=2 oflag=direct conv=fsync status=none
	[ -z "$mirror" ] || dd if=/dev/zero of=$mirror bs=64k count=9 oflag=direct status=none
	if mountpoint -q deep; then
		dd if=/dev/zero of=deep/synced bs=64k count=8 conv=fsync status=none
		dd if=/dev/zero of=deep/direct bs=256k count=5 oflag=direct status=none
		dd if=deep/direct of=/dev/null bs=256k count=5 iflag=direct status=none
	fi
END_SH
# the first to open a device reads its partitions
: <"${mirror:-/dev/null}" >/dev/null
for i in linear above striped; do
	counters "${!i}" >$i.before
done
check 'dm: recorded' record dm -e fs,ds,bio -- sh stack.sh
for i in linear above striped; do
	counters "${!i}" >$i.after
	equal "$i: sectors are those that the kernel counts" "$(counted $i.before $i.after | cut -d' ' -f1,2)" "$(of_bios dm "${!i}" | cut -d' ' -f1,2)"
done
equal 'above: and as many bios' "$(counted above.before above.after)" "$(of_bios dm "$above")"
check 'above: each bio is in parts of the device below' parts dm "$above" 1
check 'linear: which are in requests' parts dm "$linear" 1
equal 'linear: a flush, too' 'flush dd 1' "$(cells dm ds dev,bio_dev,operation,command | awk -F'\t' -v dev="$(number_of "${loops[0]}")" -v above="$(number_of "$linear")" '
	$1 == dev && $2 == above && $3 == "flush" { n[$3 " " $4]++ }
	END { for (k in n) print k, n[k] }')"
check 'striped: bios that were split, likewise' parts dm "$striped" 1
equal 'striped: the report has both halves below it' "$(of_report dm "$striped" '' write_bytes)" \
	$(($(of_report dm "$striped" "$(number_of "${loops[1]}")" write_bytes) + $(of_report dm "$striped" "$(number_of "${loops[2]}")" write_bytes)))
if [ -n "$mirror" ]; then
	check 'mirror: what is written is below twice' parts dm "$mirror" 2
else
	skip "mirror: $(head -n 1 said)"
fi
if mountpoint -q deep && { [ "$LIVE_TIER" != c ] || grep -q dm_submit_bio_remap /proc/kallsyms; }; then
	check 'crypt: each bio is in requests' parts dm "$crypt" 1
	equal 'crypt: what a file has, its writer caused' 524288 "$(of_file dm "${loops[3]}" "$tmp/deep/synced" sync)"
	equal 'crypt: direct writes, too' 1310720 "$(of_file dm "${loops[3]}" "$tmp/deep/direct" direct)"
	check 'crypt: the journal is of who changed something' [ -n "$(cells dm ds dev,cause,owner_command,bio_id | grep -P "^$(number_of "${loops[3]}")\tjournal\tdd\t\d")" ]
else
	skip 'crypt: before 5.18 nothing tells of its requests, without layouts'
fi

# ---- nvme multipath: a bio goes on as itself, and the driver says that it completes before its request does ----

# a controller on the last loop device, through a path in memory; $head is the device above it
multipath()
{
	local i of

	modprobe -a nvmet nvme-loop 2>said && [ -c /dev/nvme-fabrics ] || return
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config || return
	mkdir -p $target/subsystems/iotracer-77/namespaces/1 $target/ports/77
	echo 1 >$target/subsystems/iotracer-77/attr_allow_any_host
	echo -n "$1" >$target/subsystems/iotracer-77/namespaces/1/device_path
	echo 1 >$target/subsystems/iotracer-77/namespaces/1/enable
	echo loop >$target/ports/77/addr_trtype
	ln -s $target/subsystems/iotracer-77 $target/ports/77/subsystems/ || return
	echo transport=loop,nqn=iotracer-77 >/dev/nvme-fabrics || return
	for ((i = 0; i < 50; i++)); do
		for of in /sys/class/nvme/nvme*; do
			[ "$(cat "$of/subsysnqn")" = iotracer-77 ] && nvme=${of##*/} && break
		done
		head=/dev/nvme${nvme#nvme}n1
		[ -z "$nvme" ] || [ ! -b "$head" ] || return 0
		sleep 0.1
	done
	return 1
}

[ -z "$mirror" ] || mdadm -q --stop "$mirror"
if ! multipath "${loops[5]}" 2>>said; then
	skip "nvme multipath: $(tail -n 1 said)"
elif [ ! -d /sys/module/nvme_core/parameters ] || [ "$(cat /sys/module/nvme_core/parameters/multipath)" != Y ]; then
	skip 'nvme multipath: it is off'
else
	: <"$head"
	check 'nvme multipath: recorded' record nvme -e fs,ds,bio -- sh -c "dd if=/dev/zero of=$head bs=64k count=11 oflag=direct status=none; dd if=$head of=/dev/null bs=4k count=5 iflag=direct status=none"
	equal 'nvme multipath: each bio has a row' '40 1408 5 11' "$(of_bios nvme "$head")"
	check 'nvme multipath: and a request' parts nvme "$head" 1 early
fi
