#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Containers that podman and systemd-nspawn run: one that ends at once has its name on all rows, and one that runs is
# recorded by its name.
if [ -z "${LIVE_OWN_MOUNTS:-}" ]; then
	LIVE_OWN_MOUNTS=1 exec unshare -m bash "$0"
fi
. "$(dirname "$0")/lib.sh"

command -v podman >/dev/null || skip_all 'podman is not installed'
command -v systemd-nspawn >/dev/null || skip_all 'systemd-nspawn is not installed'
busybox=$(command -v busybox) || skip_all 'busybox is not installed'
mount --make-rprivate /
mkdir -p /var/lib/containers /run/containers /run/systemd
for dir in /var/lib/containers /run/containers /run/systemd; do
	mount -t tmpfs tmpfs "$dir" || skip_all 'nothing can be mounted'
done
mkdir -p image/bin image/etc image/usr image/proc image/sys image/dev image/run image/tmp image/var
cp "$busybox" image/bin/busybox
ln -s busybox image/bin/sh
echo ID=test >image/etc/os-release

# ---- podman ----

# crun refuses control groups of both versions together, and limits may not be raised here
podman=(podman --storage-driver vfs --cgroup-manager cgroupfs)
! command -v runc >/dev/null || podman+=(--runtime runc)
limits=(--ulimit nofile=1024:1024 --ulimit nproc=1000:1000 --network none)
tar -C image -c . | "${podman[@]}" import - test:1 >podman.log 2>&1
no_group_left()
{
	local dir

	for dir in /sys/fs/cgroup /sys/fs/cgroup/*; do
		rmdir "$dir"/{libpod_parent/conmon,libpod_parent,$machine/payload,$machine/supervisor,$machine,machine.slice} 2>/dev/null
		[ ! -e "$dir/libpod_parent" ] || return 1
	done
}
undo()
{
	"${podman[@]}" rm -af -t 0 >/dev/null 2>&1
	eventually 5 no_group_left
}
machine=machine.slice/machine-live$$.scope
if "${podman[@]}" run --rm "${limits[@]}" test:1 /bin/busybox true >podman.log 2>&1; then
	check 'podman: recorded' record p -e fs,exec -- "${podman[@]}" run --name web "${limits[@]}" test:1 \
		/bin/sh -c 'busybox dd if=/dev/zero of=/written bs=512 count=13; busybox ls /'
	cells p exec event_type,command,filename,container >rows
	check 'podman: a program of it' grep -qP '^EXEC\t(busybox|dd|exe)\t.*\tweb$' rows
	check 'podman: its own programs are in none' bash -c '! grep -P "^EXEC\t(podman|conmon)\t.*\tweb$" rows'
	check 'podman: its writes' [ "$("$IOTRACER" files p -q --csv --container web --path /written | column --sum writes)" = 13 ]
	"${podman[@]}" run -d --name long "${limits[@]}" test:1 /bin/sh -c \
		'while busybox sleep 0.05; do busybox dd if=/dev/zero of=/x bs=512 count=2; done' >podman.log 2>&1
	check 'podman: recorded, one that runs' record long -e fs -d 2 --container long
	check 'podman: its file on the host' [ -s "$("$IOTRACER" files long -q --csv --host-paths --path /x | column host_path)" ]
	check 'podman: its calls' [ "$(cells long fs operation,filename | grep -c '^WRITE	/x$')" -gt 1 ]
	"$IOTRACER" snapshot -o snap process >snap.log 2>&1
	cells snap process container,image >rows
	check 'podman: in a snapshot' grep -qxP 'long\tlocalhost/test:1' rows
else
	cat podman.log
	skip 'podman: it cannot run a container here'
fi

# ---- systemd-nspawn ----

# Without systemd nobody makes the group that it runs a container in: that of systemd-machined
for dir in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
	[ ! -e "$dir/cgroup.procs" ] || mkdir -p "$dir/$machine"
done
# shellcheck disable=SC2016
check 'systemd-nspawn: recorded' record n -e fs,exec -- bash -c '
	for procs in /sys/fs/cgroup/'"$machine"'/cgroup.procs /sys/fs/cgroup/*/'"$machine"'/cgroup.procs; do
		[ ! -e "$procs" ] || echo $$ >"$procs"
	done
	exec systemd-nspawn -q --register=no --keep-unit -M live'$$' -D image /bin/sh -c "busybox dd if=/dev/zero of=/written bs=512 count=7"'
cells n exec event_type,command,container >rows
check 'systemd-nspawn: a program of it' grep -qP "^EXEC\t(sh|busybox|dd|exe)\tlive$$\$" rows
check 'systemd-nspawn: its writes' [ "$("$IOTRACER" files n -q --csv --container "live$$" --path '*/written' | column --sum writes)" = 7 ]
