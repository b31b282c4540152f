#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One layer on top of another: a FUSE server, a loop device with and without direct I/O, the device
# mapper. Calls, operations of file systems and requests show each layer once, and no sum has a byte
# of a stack twice; from counters and from rows.
#   LIVE_WHOLE=1  the whole machine may be traced, too
. "$(dirname "$0")/lib.sh"

for tool in jq python3 mkfs.ext4 losetup; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
[ "$LIVE_TIER" != c ] || skip_all 'without layouts there are no counts: seen in tiers a and b'
modprobe -a fuse loop dm-mod dm-crypt 2>/dev/null
bytes=249856 # of 61 blocks
loop=
undo()
{
	for at in front deep; do
		! mountpoint -q "$tmp/$at" || umount "$tmp/$at"
	done
	! dmsetup info iotracer-stack >/dev/null 2>&1 || dmsetup remove --retry iotracer-stack
	[ -z "$loop" ] || losetup -d "$loop"
}

# counts SESSION COMMAND LAYER [CLASS]: writes and their bytes
counts()
{
	cells "$1" layers command,layer,operation,class,count,bytes | awk -F'\t' -v command="$2" -v layer="$3" -v class="${4:-}" \
		'$1 ~ command && $2 == layer && $3 == "WRITE" && (class == "" || $4 == class) { n += $5; b += $6 } END { print n + 0, b + 0 }'
}

# of_amp SESSION BY NAME COLUMN: the sum of its rows, of which the second cell is the name, or the number of the process
of_amp()
{
	[ -s "$1.by-$2" ] || "$IOTRACER" amp "$1" -q --csv --by "$2" >"$1.by-$2"
	awk -F, -v name="$3" -v column="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$2 == name || ("pid" in at && $at["pid"] == name) { n += $at[column] }
		END { print n + 0; exit !(column in at) }' "$1.by-$2"
}

# written SESSION BY NAME: to devices, but what ext4's journal commits for it
written()
{
	echo $(($(of_amp "$@" blk_write_bytes) - $(of_amp "$@" blk_journal_bytes)))
}

pid_of()
{
	cells "$1" exec event_type,pid,command | awk -F'\t' -v name="$2" '$1 == "EXEC" && $3 == name { print $2; exit }'
}

at_least()
{
	echo "$1 of $2"
	[ "$1" -ge "$2" ] && [ "$1" -le $(($2 + ${3:-131072})) ]
}

# One entry of a process, layer, operation and class for each time
check_one_row()
{
	check "$1: a process, layer, operation and class have one row a time" [ -z "$(cells "$1" layers pid,layer,operation,class,mono_ns | sort | uniq -d)" ]
}

has_requests=$(findmnt -no SOURCE -T "$tmp")
case $has_requests in /dev/*) ;; *) has_requests= ;; esac

# ---- a FUSE server: it calls as any program does ----

mkdir back front deep
cat >fuse.sh <<'END_FUSE'
bindfs -f back front &
until mountpoint -q front; do sleep 0.1; done
dd if=/dev/zero of=front/f$1 bs=4096 count=61 conv=fsync status=none
umount front
wait
END_FUSE
if ! command -v bindfs >/dev/null || ! [ -c /dev/fuse ]; then
	skip 'FUSE: no bindfs, or no /dev/fuse'
else
	for streams in layers,exec layers,fs,ds,exec; do
		s=fuse-${streams//[^a-z]/-}
		check "$s: recorded" record "$s" -e $streams -- sh fuse.sh "$s"
		check_one_row "$s"
		equal "$s: calls of the writer" "61 $bytes" "$(counts "$s" '^dd$' SYSCALL)"
		equal "$s: and of the server" "61 $bytes" "$(counts "$s" '^bindfs$' SYSCALL)"
		if [ "$LIVE_TIER" = a ]; then
			equal "$s: the file system of the writer" "61 $bytes" "$(counts "$s" '^dd$' VFS)"
			equal "$s: and that of the server" "61 $bytes" "$(counts "$s" '^bindfs$' VFS)"
		fi
		dd_pid=$(pid_of "$s" dd) server=$(pid_of "$s" bindfs)
		equal "$s: amp has the calls of the writer" $bytes "$(of_amp "$s" process "$dd_pid" sys_write_bytes)"
		equal "$s: and those of the server" $bytes "$(of_amp "$s" process "$server" sys_write_bytes)"
		[ -n "$has_requests" ] || continue
		equal "$s: the device has the data once, for the server" $bytes "$(counts "$s" . BLOCK data | cut -d' ' -f2)"
		# without the journal: it commits every five seconds, and on a slow machine three times meanwhile
		check "$s: amp has it for the server" at_least "$(written "$s" process "$server")" $bytes
		equal "$s: and nothing for the writer" 0 "$(of_amp "$s" process "$dd_pid" blk_write_bytes)"
	done
fi

# metadata_of SESSION: what was written to the loop device, on which nothing is mounted
metadata_of()
{
	cells "$1" ds dev,operation,cause,size | awk -F'\t' -v dev="$(cat "/sys/block/$name/dev")" '
		$1 == dev && $2 == "write" { n[$3] += $4 }
		END { for (c in n) printf "%s %d ", c, n[c]; print ""; exit !(n["metadata"] && !n["device"]) }'
}

# ---- a file system on a loop device ----

# file_of DEVICE: mounts a new file system of it
file_of()
{
	mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$1" && mount "$1" deep && sync -f deep
}

# in_file SESSION: rows of the disk in the sectors of the image, by cause
in_file()
{
	cells "$1" ds dev,operation,sector,size,cause | awk -F'\t' -v dev="$disk" '
		NR == FNR {
			if (split($0, x, /[ :.]+/) > 6 && x[2] ~ /^[0-9]+$/) { n++; at[n] = x[5]; end[n] = x[6] }
			next
		}
		$1 == dev && ($2 == "read" || $2 == "write") {
			for (i = 1; i <= n; i++)
				if ($3 >= at[i] && $3 <= end[i]) { count[$5]++; size[$5] += $4 }
		}
		END { for (c in count) print (c == "" ? "none" : c), count[c], size[c] }' extents -
}

if [ -z "$(losetup -f 2>/dev/null)" ]; then
	skip 'loop: no loop devices'
	exit
fi
disk=$([ -z "$has_requests" ] || cat "/sys/class/block/${has_requests#/dev/}/dev")
for direct in off on; do
	rm -f image
	dd if=/dev/zero of=image bs=1M count=48 conv=fsync status=none
	loop=$(losetup -f --show --direct-io=$direct "$tmp/image") || exit
	name=${loop#/dev/}
	file_of "$loop" || exit
	for streams in layers layers,fs,ds,exec; do
		s=loop-$direct-${streams//[^a-z]/-}
		check "$s: recorded" record "$s" -e $streams -- dd if=/dev/zero of="deep/$s" bs=4096 count=61 conv=fsync status=none
		check_one_row "$s"
		equal "$s: calls" "61 $bytes" "$(counts "$s" '^dd$' SYSCALL)"
		[ "$LIVE_TIER" != a ] || equal "$s: the upper file system" "61 $bytes" "$(counts "$s" '^dd$' VFS)"
		equal "$s: the loop device" $bytes "$(counts "$s" '^dd$' BLOCK data | cut -d' ' -f2)"
		equal "$s: amp has the bytes once" $bytes "$(written "$s" comm dd)"
		[ $direct = on ] && [ -n "$has_requests" ] || continue
		below=$(counts "$s" '^dd$' BLOCK loop | cut -d' ' -f2)
		check "$s: the disk below has them for the writer, apart" at_least "$below" $bytes
	done
	equal "$s: by device: the loop device" $bytes "$(written "$s" device "$name")"
	if [ $direct = on ] && [ -n "$has_requests" ]; then
		below=$(written "$s" device "$(basename "$(readlink -f "/sys/dev/block/$disk")")")
		check "$s: by device: and the disk" at_least "$below" $bytes
	fi

	if [ -n "${LIVE_WHOLE:-}" ] && [ -n "$has_requests" ]; then
		s=whole-$direct
		record_in_background $s -e layers,fs,ds,exec -m 1024
		dd if=/dev/zero of=deep/whole bs=4096 count=61 conv=fsync status=none
		dd if=/dev/zero of=deep/direct bs=65536 count=17 oflag=direct status=none
		sync -f deep
		sync -f .
		echo 3 >/proc/sys/vm/drop_caches
		cat deep/whole >copy
		end_tracer
		check_one_row $s
		equal "$s: calls" "78 $((bytes + 17 * 65536))" "$(counts $s '^dd$' SYSCALL)"
		equal "$s: the loop device" $((bytes + 17 * 65536)) "$(counts $s '^dd$' BLOCK data | cut -d' ' -f2)"
		filefrag -v -b512 image >extents
		in_file $s >causes
		sed "s/^/# $s: /" causes
		cells $s layers pid,command,layer,operation,class,count,bytes | awk -F'\t' '$3 == "VFS" && $2 ~ /^(kworker|loop)/' | sed "s/^/# $s: /"
		check "$s: all requests for its file are told from others" [ "$(cut -d' ' -f1 causes)" = loop ]
		[ -s causes ] || { cat extents; cells $s ds dev,operation,sector,size,cause | grep loop | head; }
		equal "$s: and counted so" "$(cells $s ds operation,cause,size | awk -F'\t' '$1 == "write" && $2 == "loop" { n += $3 } END { print n + 0 }')" \
			"$(counts $s . BLOCK loop | cut -d' ' -f2)"
		all=$(cells $s ds operation,cause,size | awk -F'\t' '$1 == "write" && $2 != "loop" { n += $3 } END { print n + 0 }')
		equal "$s: the sum of the machine has each byte once" "$all" \
			"$("$IOTRACER" amp $s -q --csv --by host | python3 "$tests_dir/readers/column.py" blk_write_bytes)"
		check "$s: the report, too" [ "$("$IOTRACER" report $s -q --json | jq '[.. | objects | select(.direction? == "write" and has("device_bytes")) | .device_bytes] | first')" = "$all" ]
		# until 2025 through a function for others' files, then by a pointer that no probe can be at
		if [ "$LIVE_TIER" = a ] && [ $direct = off ] && xzcat -f "$(modinfo -n loop)" | grep -q vfs_iter_write; then
			below=$(counts $s '^(kworker|loop)' VFS | cut -d' ' -f2)
			check "$s: what the loop device writes to its file reaches a file system without a call" at_least "$below" $((bytes + 17 * 65536)) 16777216
		fi
		equal "$s: and is no call" '0 0' "$(counts $s '^(kworker|loop)' SYSCALL)"
	fi
	umount deep

	# ---- and the device mapper between ----

	if [ -n "$(command -v dmsetup)" ] && [ -c /dev/mapper/control ]; then
		for kind in linear crypt; do
			sectors=$(blockdev --getsz "$loop")
			case $kind in
			linear) table="0 $sectors linear $loop 0" ;;
			crypt) table="0 $sectors crypt aes-xts-plain64 $(printf '5a%.0s' {1..64}) 0 $loop 0" ;;
			esac
			s=$kind-$direct
			if ! dmsetup create iotracer-stack --table "$table" 2>said; then
				skip "$s: $(head -n 1 said)"
				continue
			fi
			mapped=dm-$(dmsetup info -c --noheadings -o minor iotracer-stack)
			file_of "/dev/$mapped" || exit
			if [ $kind = linear ]; then
				check "$s: recorded" record $s -e layers,fs,ds,exec -- dd if=/dev/zero of=deep/f bs=4096 count=61 conv=fsync status=none
				equal "$s: calls" "61 $bytes" "$(counts $s '^dd$' SYSCALL)"
				[ "$LIVE_TIER" != a ] || equal "$s: the file system" "61 $bytes" "$(counts $s '^dd$' VFS)"
				equal "$s: the device below the mapper has the bytes once, for the writer" $bytes "$(counts $s '^dd$' BLOCK data | cut -d' ' -f2)"
				equal "$s: amp has them once" $bytes "$(written $s comm dd)"
				equal "$s: by device" $bytes "$(written $s device "$name")"
				check "$s: and the mapper has no requests" [ -z "$(cells $s ds dev | grep -x "$(cat "/sys/block/$mapped/dev")")" ]
				if [ -n "${LIVE_WHOLE:-}" ]; then
					record_in_background $s-all -e ds
					mkdir deep/many && touch deep/many/{1..300}
					sync -f deep
					end_tracer
					check "$s: what the file system keeps in its device's pages is metadata" metadata_of $s-all
				fi
			elif [ -n "${LIVE_WHOLE:-}" ]; then
				record_in_background $s -e layers,fs,ds,exec
				dd if=/dev/zero of=deep/f bs=4096 count=61 conv=fsync status=none
				end_tracer
				equal "$s: calls" "61 $bytes" "$(counts $s '^dd$' SYSCALL)"
				check "$s: by device: encrypted once" at_least "$(written $s device "$name")" $bytes
				cells $s ds dev,operation,command,cause,owner_command,size | awk -F'\t' '{ n[$1 " " $2 " " $3 " " $4 " " $5] += $6 } END { for (k in n) print "# crypt:", k, n[k] }'
			fi
			umount deep
			dmsetup remove --retry iotracer-stack
		done
	else
		skip "dm on a loop device ($direct): this kernel has no device mapper"
	fi
	losetup -d "$loop"
	loop=
done
