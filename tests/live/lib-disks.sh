# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Disks and file systems that a test makes for itself. Sourced, never run.

# mount_image TYPE [OPTIONS]: an empty file system of that type in the directory TYPE, on a loop device, mounted
# with these options; false where there is no mkfs.TYPE, or nothing that it can be mounted with
mounted_images=()
mount_image()
{
	command -v "mkfs.$1" >/dev/null || return
	modprobe loop 2>/dev/null
	truncate -s 400M "$1.image"
	mkfs."$1" -q "$1.image" >/dev/null 2>&1 && mkdir "$1" && mount -o "loop${2:+,$2}" "$1.image" "$1" && mounted_images+=("$PWD/$1")
}

umount_images()
{
	local place

	for place in "${mounted_images[@]}"; do
		umount "$place"
	done
}

# scsi_disk OPTION...: a SCSI disk in memory, by these options of scsi_debug; its name goes to
# $scsi. False where there is no such module
scsi_disk()
{
	modprobe sd_mod 2>/dev/null
	modprobe scsi_debug delay=0 "$@" 2>/dev/null || return
	for _ in $(seq 50); do
		scsi=$(grep -ls scsi_debug /sys/block/sd*/device/model)
		[ -z "$scsi" ] || break
		sleep 0.1
	done
	scsi=${scsi%%/device/*}
	scsi=${scsi##*/}
}
