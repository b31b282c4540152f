#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The service under a real systemd (its manager of a user, since nobody boots this machine for it): it starts, reloads
# under load without losing a call, goes on with wrong options, is another program after an upgrade, is killed by the
# watchdog when it hangs and repairs what it left. tests/vm/guest-service.sh has the boot.
if [ -z "${LIVE_OWN_SYSTEMD:-}" ]; then
	command -v systemctl >/dev/null || { echo 'SKIP: systemd is not installed'; exit 77; }
	LIVE_OWN_SYSTEMD=1 exec unshare -m bash "$0"
fi
. "$(dirname "$0")/lib.sh"

# names of files are not certain in tier c, by which this looks for calls
[ "$LIVE_TIER" != c ] || skip_all 'tier c'
# the mounts are those of this script alone
mount --make-rprivate /
mkdir -p /run/systemd
mount -t tmpfs tmpfs /run/systemd
# what the first manager of a machine makes there
mkdir /run/systemd/system /run/systemd/inaccessible /run/systemd/unit-root
(
	cd /run/systemd/inaccessible || exit
	umask 777
	: >reg
	mkdir dir
	mkfifo fifo
	mknod chr c 0 0 2>/dev/null
	mknod blk b 0 0 2>/dev/null
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
)
umount -R /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup || skip_all 'there are no control groups of version 2'
group=/sys/fs/cgroup/iotracer-$$
mkdir "$group"
(echo "$BASHPID" >"$group/cgroup.procs") 2>/dev/null || skip_all 'no control group can be entered'
undo()
{
	find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null
}

export XDG_RUNTIME_DIR=$tmp/run XDG_CONFIG_HOME=$tmp/config XDG_STATE_HOME=$tmp/state XDG_CACHE_HOME=$tmp/cache
mkdir -m 700 run etc bin load
cp "$IOTRACER" bin/iotracer
mkdir -p config/systemd/user/iotracer@.service.d
make -s -C "$builddir" data/systemd/iotracer@.service >/dev/null
sed -e "s#^\(Exec.*=\)[^ ]*/iotracer #\1$tmp/bin/iotracer #; s#--config [^ ]*/%i.conf#--config $tmp/etc/%i.conf#" \
	"$builddir/data/systemd/iotracer@.service" >config/systemd/user/iotracer@.service
# this machine may not let limits be raised; there is no journal here
cat >config/systemd/user/iotracer@.service.d/test.conf <<END
[Unit]
Wants=
StartLimitIntervalSec=0
[Service]
LimitMEMLOCK=
LimitNOFILE=
LimitCORE=
CapabilityBoundingSet=CAP_IPC_LOCK
Environment=IOTRACER_BCC=$IOTRACER_BCC IOTRACER_STUB=$IOTRACER_STUB IOTRACER_SYSTEMS=$IOTRACER_SYSTEMS IOTRACER_CACHE=${IOTRACER_CACHE:-}
StandardOutput=append:$tmp/said
StandardError=append:$tmp/said
WatchdogSec=12
RestartSec=1
END
cat >etc/t.conf <<END
path = $tmp/load/*
events = fs,exec
no-snapshots
max-disk = 200M
${LIVE_SERVICE_OPTIONS:-}
END
printf '%s\n' "${tier_options[@]}" | paste -sd' ' | sed 's/--layout none/--layout = none/; s/ *--/\n/g' >>etc/t.conf

# its control groups begin there: those of other managers are not its own
(echo "$BASHPID" >"$group/cgroup.procs" && exec unshare -C -m sh -c "
	umount /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup &&
		exec /lib/systemd/systemd --user --log-level=${SYSTEMD_LEVEL:-info} --log-target=console") >systemd.log 2>&1 &
pids+=($!)
manager=$!
until_true() # SECONDS COMMAND...
{
	local end=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}
s()
{
	systemctl --user "$@" iotracer@t
}
value()
{
	s show -P "$1"
}
is_active()
{
	[ "$(value ActiveState)" = active ]
}
until_true 20 systemctl --user list-units || skip_all "no manager of a user can be started: $(tail -1 systemd.log)"

# written FIRST LAST: files, one by one
write_files()
{
	local i

	for ((i = $1; i <= $2; i++)); do
		echo "$i" >load/$i
		[ $((i % 20)) != 0 ] || sleep 0.05
	done
}
# Numbers of files of which some trace has the write
recorded()
{
	local dir

	for dir in "$traces"/*; do
		cells "$dir" fs operation,filename
	done | sed -n "s#^WRITE\t$tmp/load/\([0-9]*\)\$#\1#p" | sort -nu
}
# has FIRST LAST
has()
{
	seq "$1" "$2" >wanted
	recorded | sort >got
	[ -z "$(sort wanted | comm -23 - got)" ] || { sort wanted | comm -23 - got | paste -sd' '; return 1; }
}

check 'it starts' s start
check 'and is active when it records' is_active
is_active || { s status; cat said systemd.log etc/t.conf; exit 1; }
write_files 1 200
traces=$tmp/state/iotracer/t
[ -d "$traces" ] || traces=$tmp/config/iotracer/t # up to systemd 253
first=$(value MainPID)
[ "$first" -gt 1 ] || { s status; cat said; exit 1; }
check 'with the capabilities that it needs alone' \
	[ "$(awk '$1 == "CapBnd:" { print $2 }' "/proc/$first/status")" = "$(printf '%016x' $((1 << 39 | 1 << 38 | 1 << 19 | 1 << 14 | 1 << 2)))" ]

echo 'rotate-rows = 1000' >>etc/t.conf
write_files 201 4000 &
writer=$!
check 'it reloads under load' s reload
wait "$writer"
another() # PID
{
	is_active && [ "$(value MainPID)" != "$1" ] && [ ! -e "/proc/$1" ]
}
check 'by another process, and the first one ends' until_true 20 another "$first"
write_files 4001 4200
check 'nothing failed by it' [ "$(value NRestarts)" = 0 ]

second=$(value MainPID)
echo 'rotate-rows = many' >>etc/t.conf
check 'wrong options are refused' sh -c '! systemctl --user reload iotracer@t 2>/dev/null'
check 'with their line' grep -q 't.conf:[0-9]*: --rotate-rows: invalid number' said
check 'and it goes on' [ "$(value MainPID)" = "$second" ]
sed -i '/many/d' etc/t.conf

cp bin/iotracer bin/new
mv bin/new bin/iotracer
write_files 4201 6000 &
writer=$!
check 'after an upgrade a reload' s reload
wait "$writer"
check 'starts' until_true 20 another "$second"
third=$(value MainPID)
check 'the new program' [ "$(readlink "/proc/$third/exe")" = "$tmp/bin/iotracer" ]
write_files 6001 6100
check 'which is stopped' s stop
check 'in peace, too' [ "$(value Result)" = success ]
check 'its trace is complete' grep -q '"state": "complete"' "$(find "$traces" -mindepth 1 -maxdepth 1 | sort | tail -n 1)/manifest.json"
check 'and started' s start
third=$(value MainPID)
write_files 6101 6200

# what was written half a second before is there, the rest may have waited for its order
sleep 1
[ "$third" -gt 1 ] || exit 1
kill -STOP "$third"
check 'a recorder that hangs is killed by the watchdog, and started again' until_true 60 another "$third"
check 'once' [ "$(value NRestarts)" = 1 ]
check 'what it left is repaired at the start' grep -q 'its recorder was killed: closing what it left' said
write_files 6201 6400
check 'it stops' s stop
check 'in peace' [ "$(value Result)" = success ]
whole()
{
	"$IOTRACER" verify "$@"
}
check 'there are five traces, all of them whole' whole "$traces"/*
check 'namely five' [ "$(find "$traces" -mindepth 1 -maxdepth 1 | wc -l)" = 5 ]
check 'and no call is missing' has 1 6400
kill "$manager"
