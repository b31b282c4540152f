#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-service.sh [KERNEL]: a machine whose first process is systemd records from its boot on (5.10): the service
# starts by itself, reloads under load, is stopped by a reboot and ended by a reset, and each next boot repairs what was
# left on a disk that stays. Run in a built tree; VM_HOME as for check-vm.sh. Some minutes.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# shellcheck source=cases.sh source-path=SCRIPTDIR
. "$vm_dir/cases.sh"

kernel=${1:-5.10}
vm_home
[ -f "$VM_HOME/$(kernel_name "$kernel")/bzImage" ] || { echo "SKIP: no kernel $kernel in $VM_HOME"; exit 77; }
[ -x /lib/systemd/systemd ] || { echo 'SKIP: systemd is not installed'; exit 77; }
rw=$(mktemp -d)
trap 'rm -rf "$rw"' EXIT
truncate -s 512M "$rw/state.img"
PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q "$rw/state.img"
echo "logs: $rw"

# boot COMMAND: with the service manager
# /tmp is that of the host, with all that is in it, which nobody is to look through
boot()
{
	"$vm_dir/run" "$kernel" --timeout 900 --rw "$rw" --append "vm.systemd=1 systemd.mask=systemd-tmpfiles-setup.service" \
		--qemu "-drive if=none,id=state,file=$rw/state.img,format=raw,cache=writethrough -device virtio-blk-pci,drive=state,serial=state" \
		-- "$@" 2>"$rw/run.log"
}

check 'facts of the guest' "$vm_dir/run" "$kernel" --rw "$rw" -- "$PWD/iotracer doctor --collect /host-rw/facts.tar.gz"
check 'programs for it' env IOTRACER_BCC="$PWD/iotracer-bcc" IOTRACER_STUB="$vm_dir/../../compat/stub" \
	./iotracer build --root "$rw/facts.tar.gz" --headers "$(kernel_headers "$kernel")" -e fs,exec -o "$rw/image"

mkdir -p "$rw/units/vm-guest.target.wants" "$rw/units/iotracer.service.d" "$rw/etc" "$rw/bin"
cp iotracer "$rw/bin/iotracer"
make -s data/systemd/iotracer.service
sed 's#^\(Exec.*=\)[^ ]*/iotracer #\1/host-rw/bin/iotracer #; s#--config [^ ]*/iotracer.conf#--config /host-rw/etc/iotracer.conf#' \
	data/systemd/iotracer.service >"$rw/units/iotracer.service"
ln -s ../iotracer.service "$rw/units/vm-guest.target.wants/iotracer.service"
cat >"$rw/units/iotracer.service.d/vm.conf" <<'END'
[Unit]
Requires=state.service
After=state.service
[Service]
StandardError=append:/host-rw/said
StandardOutput=append:/host-rw/said
Environment=IOTRACER_SYSTEMS=
END
# what Debian's 5.10 wants
cp data/systemd/sys-admin.conf "$rw/units/iotracer.service.d/sys-admin.conf"
# by its serial number: nobody names disks here
cat >"$rw/units/state.service" <<'END'
[Unit]
DefaultDependencies=no
Before=iotracer.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/bash -c 'mkdir -p /var/lib/iotracer && for disk in /sys/block/vd*; do [ "$$(cat $$disk/serial)" != state ] || mount /dev/$${disk##*/} /var/lib/iotracer; done'
END
cat >"$rw/etc/iotracer.conf" <<'END'
image = /host-rw/image
path = /mnt/ext4/load/*
no-snapshots
rotate-time = 5s
END
# What the guest has in common
cat >"$rw/lib.sh" <<'END'
mkdir -p /mnt/ext4/load
write_files() # FIRST LAST
{
	local i

	for ((i = $1; i <= $2; i++)); do
		echo "$i" >/mnt/ext4/load/$i
		[ $((i % 20)) != 0 ] || sleep 0.05
	done
	echo "$2" >/host-rw/written
}
until_true() # SECONDS COMMAND...
{
	local end=$((SECONDS + $1))

	shift
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}
END
cat >"$rw/first.sh" <<'END'
. /host-rw/lib.sh
until_true 120 systemctl -q is-active iotracer || exit 1
systemctl show -P MainPID iotracer
write_files 1 500
write_files 501 3000 &
systemctl reload iotracer && wait $!
sleep 5
systemctl show -P MainPID iotracer
write_files 3001 3200
trap '' TERM # who waits for this script would switch the machine off
systemctl reboot
sleep 100
END
cat >"$rw/second.sh" <<'END'
. /host-rw/lib.sh
until_true 120 systemctl -q is-active iotracer || exit 1
write_files 3201 4000
sleep 12 # segments are closed, and on the disk
write_files 4001 4200
echo b >/proc/sysrq-trigger
END
cat >"$rw/third.sh" <<'END'
. /host-rw/lib.sh
until_true 120 systemctl -q is-active iotracer || exit 1
write_files 4201 4300
systemctl stop iotracer
cp -r /var/lib/iotracer/iotracer /host-rw/traces
systemctl show -P Result iotracer
END

boot "bash /host-rw/first.sh" >"$rw/first"
check 'it records from the boot on, and after a reload as another process' \
	sh -c '[ "$(sort -u "$0" | wc -l)" = 2 ]' "$rw/first"
boot "bash /host-rw/second.sh" >"$rw/second"
check 'the second boot records, too' [ "$(cat "$rw/written")" = 4200 ]
boot "bash /host-rw/third.sh" >"$rw/third"
check 'and the third, until it is stopped' grep -qx success "$rw/third"
check 'what the reset left was repaired' grep -q 'its recorder was killed: closing what it left' "$rw/said"
check 'four traces are whole' ./iotracer verify "$rw"/traces/*
check 'the reboot closed its trace' [ "$(grep -l '"state": "complete"' "$rw"/traces/*/manifest.json | wc -l)" = 3 ]
has() # FIRST LAST
{
	local trace

	for trace in "$rw"/traces/*; do
		tests/conform/conform_diff cut "$trace" fs operation,filename
	done | sed -n 's#^WRITE\t/mnt/ext4/load/\([0-9]*\)$#\1#p' | sort -u >"$rw/got"
	seq "$1" "$2" | sort | comm -23 - "$rw/got" | paste -sd' ' | tee "$rw/missing"
	[ ! -s "$rw/missing" ] || [ -z "$(tr -d '\n' <"$rw/missing")" ]
}
check 'no call is missing before the reset, but for what was not on the disk yet' has 1 4000
check 'and none after it' has 4201 4300
exit $cases_failed
