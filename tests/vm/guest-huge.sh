#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Faults that map more than a page: huge pages of tmpfs, and files of a disk that is memory
# (DAX, persistent memory by memmap= of the rig), where 2 MB may be mapped at once. Each is one
# row, as getrusage counts. In tier a; the image is compiled on the host.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

pages=$builddir/tests/conform/conform_pages
bytes=$((16 << 20))
huge=$((bytes >> 21))

# faults FILE WAY MOST: a child touches each page of the file; there are at most MOST faults, and
# each of them is a row with the file's name
faults()
{
	local dir=/tmp/huge.trace file=$1 way=$2 most=$3 child want

	rm -rf $dir
	"$iotracer" record -q -m 256 -e pagefault -o $dir --image "$rw/image-a" -- \
		"$pages" fault "$file" "$way" 1 normal >/tmp/huge.said || return
	child=$(sed -n 's/^child //p' /tmp/huge.said)
	want=$(awk '$1 == "minor" || $1 == "major" { n += $2 } END { print n + 0 }' /tmp/huge.said)
	"$builddir/tests/conform/conform_diff" cut $dir pagefault pid,filename,address,latency_ns |
		awk -F '\t' -v pid="$child" -v file="$file" -v want="$want" -v most="$most" '
			$1 == pid && $2 == file { n++; places += !seen[$3]++; idle += $4 + 0 == 0 }
			END {
				print n + 0 " rows at " places + 0 " addresses, " want " faults"
				if (want > most) { print want " faults: no huge pages here"; exit 77 }
				exit !(n == want && places == n && !idle)
			}'
}

tmpfs()
{
	mkdir -p /mnt/huge
	mountpoint -q /mnt/huge || mount -t tmpfs -o huge=always,size=64m none /mnt/huge || return 77
	[ -f /mnt/huge/f ] || dd if=/dev/zero of=/mnt/huge/f bs=2M count=$huge 2>/dev/null || return
	faults /mnt/huge/f "$1" $((huge * 16))
}

# dax WAY MOST
dax()
{
	local disk=/dev/pmem0

	mkdir -p /mnt/dax
	if ! mountpoint -q /mnt/dax; then
		modprobe -q nd_e820
		modprobe -q nd_pmem
		[ -b $disk ] || { echo 'no persistent memory'; return 77; }
		mkfs.ext4 -q -b 4096 -E stride=512,stripe_width=512 $disk || return
		mount -o dax $disk /mnt/dax || { echo 'this kernel has no DAX'; return 77; }
		fallocate -l $bytes /mnt/dax/f && dd if=/dev/zero of=/mnt/dax/f bs=2M count=$huge conv=notrunc 2>/dev/null || return
	fi
	faults /mnt/dax/f "$1" "$2"
}

dmesg -C
tier_image a
check 'huge pages of tmpfs, read: a row for each fault' tmpfs read
check 'huge pages of tmpfs, written: a row for each fault' tmpfs write
check 'DAX, read: a row for each fault' dax read $((bytes / 4096))
check 'DAX, written: a row for each fault' dax write $((bytes / 4096))
check 'the kernel log is clean' kernel_log_is_clean
