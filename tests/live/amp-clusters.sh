#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Amplification of storage that keeps everything more than once, beside what it counts of itself: GlusterFS
# (volume profile), Ceph (perf dump of an OSD, whose journal and files are on one file system).
# shellcheck source=lib-systems.sh source-path=SCRIPTDIR
. "$(dirname "$0")/lib-systems.sh"

# Two bricks on one address, which must not be one of loopback: in a network of its own
system=GlusterFS
glusterfs()
{
	local tool brick written syncs

	for tool in glusterd fio; do
		command -v $tool >/dev/null || { skip "$tool is not installed"; return; }
	done
	[[ $(fio --enghelp) == *gfapi* ]] || { skip 'fio is built without gfapi'; return; }
	mkdir -p gl/state gl/run gl/one gl/two
	cat >gl.sh <<'END'
dir=$1 address=10.99.0.1
ip link set lo up
ip address add $address/32 dev lo
cat >"$dir/glusterd.vol" <<VOL
volume management
    type mgmt/glusterd
    option working-directory $dir/state
    option run-directory $dir/run
    option glusterd-sockfile $dir/run/socket
    option transport-type socket
    option transport.socket.listen-port 24007
    option ping-timeout 0
    option event-threads 1
end-volume
VOL
glusterd -N -f "$dir/glusterd.vol" -l "$dir/glusterd.log" -p "$dir/pid" &
daemon=$!
ask() { gluster --mode=script --glusterd-sock="$dir/run/socket" "$@"; }
for i in $(seq 100); do ask pool list >/dev/null 2>&1 && break; sleep 0.1; done
ask volume create both replica 2 $address:"$dir/one" $address:"$dir/two" force &&
ask volume set both performance.write-behind off &&
ask volume start both &&
ask volume profile both start &&
fio --name=write --ioengine=gfapi --volume=both --brick=$address --rw=write --bs=64k --size=8m --fsync=16 --filename=file --output="$dir/fio.log" &&
ask volume profile both info cumulative >"$dir/profile"
ask volume stop both
kill $daemon
wait $daemon
END
	trace gltrace -e fs,ds,exec -m 8192 -- unshare -n bash gl.sh "$tmp/gl"
	if ! grep -q 'Data Written: 8388608 bytes' gl/profile; then
		fail "GlusterFS: a volume with two bricks was not written to: $(tail -n 3 out)"
		return
	fi
	for brick in one two; do
		# of the brick: how many calls, how many bytes, how many syncs
		read -r written syncs < <(awk -v brick="/$brick" '/^Brick: / { mine = $2 ~ brick "$" }
			mine && /No. of Writes:/ { n = $4 } mine && $NF == "FSYNC" { s = $(NF - 1) } END { print n, s }' gl/profile)
		check "GlusterFS: brick $brick has written $written times" \
			[ "$(sum files gltrace writes --path "*/gl/$brick/file")" = "$written" ]
		check "GlusterFS: brick $brick has synced $syncs times" \
			[ "$(sum files gltrace syncs --path "*/gl/$brick/file")" = "$syncs" ]
		check "GlusterFS: brick $brick has all bytes" \
			[ "$(sum files gltrace write_bytes --path "*/gl/$brick/file")" = 8388608 ]
	done
	# what was written once is there twice; beside it logs and its own files
	between 'GlusterFS: bytes written by its processes' 16777216 "$(sum amp gltrace sys_write_bytes)" 18874368
	if [ "$(n_rows gltrace ds)" = 0 ]; then
		skip "GlusterFS: what $tmp is on has no requests of its own"
	else
		# 16 writes a sync
		between 'GlusterFS: bytes of the device' $((2 * syncs * 16 * 65536)) "$(sum amp gltrace blk_write_bytes)" 18874368
	fi
}
glusterfs

# A monitor and an OSD that writes to a journal first and to files then, with system calls that are seen in every tier
system=Ceph
ceph_osd()
{
	local tool journal writes heads device written from to

	for tool in ceph-osd ceph-mon monmaptool rados; do
		command -v $tool >/dev/null || { skip "$tool is not installed"; return; }
	done
	mkdir -p ce/mon ce/osd
	cat >ceph.sh <<'END'
dir=$1 fsid=4e3ae6f1-72d2-4b7b-9e8e-1c0a5a0f2f11
ip link set lo up
cat >"$dir/ceph.conf" <<CONF
[global]
fsid = $fsid
monmap = $dir/monmap
auth cluster required = none
auth service required = none
auth client required = none
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd crush chooseleaf type = 0
osd class update on start = false
osd crush update on start = false
osd max object name len = 256
osd max object namespace len = 64
osd objectstore = filestore
osd journal = $dir/osd/journal
osd journal size = 100
journal aio = false
enable experimental unrecoverable data corrupting features = *
mon data = $dir/mon
osd data = $dir/osd
run dir = $dir
admin socket = $dir/\$name.asok
log file = $dir/\$name.log
mon cluster log file = $dir/cluster.log
keyring = $dir/keyring
pid file =
CONF
export CEPH_CONF=$dir/ceph.conf
ask() { timeout 60 ceph --connect-timeout 20 "$@"; }
monmaptool --create --fsid $fsid --addv a '[v1:127.0.0.1:6789]' "$dir/monmap"
ceph-mon --mkfs -i a --monmap "$dir/monmap"
ceph-mon -f -i a >"$dir/mon.out" 2>&1 &
mon=$!
uuid=$(cat /proc/sys/kernel/random/uuid)
ask osd new $uuid
# by itself it asks before it knows which cluster that is, now and then, and is refused
ask osd crush add osd.0 1 root=default
ceph-osd --mkfs -i 0 --osd-uuid $uuid >"$dir/mkfs.out" 2>&1
ceph-osd -f -i 0 >"$dir/osd.out" 2>&1 &
osd=$!
echo $osd $mon >"$dir/pids"
for i in $(seq 50); do ask osd stat | grep -q '1 up' && break; kill -0 $osd || break; sleep 0.2; done
ask osd pool create data 1
status()
{
	ask daemon "$dir/osd.0.asok" perf dump | jq -c '.osd.op_w_in_bytes as $in | .filestore |
		{$in, journal_wr, journal: .journal_wr_bytes.sum, ops, op_queue_ops, journal_queue_ops, commitcycle}'
}
. ./moment.sh
moment from
timeout 60 rados -p data bench 20 write -b 65536 -t 4 --no-cleanup --max-objects 200
moment to
kill $osd $mon
wait $osd $mon
END
	trace cetrace -e fs,ds,exec -m 16384 -- unshare -n bash ceph.sh "$tmp/ce"
	if [ "$(jq -s '.[1].in - .[0].in >= 13107200' ce/from.stats ce/to.stats 2>said)" != true ]; then
		fail "Ceph: the OSD did not get 200 objects: $(tail -n 3 out ce/*.out)"
		return
	fi
	read -r writes journal heads < <(jq -rs '[.[1].journal_wr - .[0].journal_wr, .[1].journal - .[0].journal,
		.[1].commitcycle - .[0].commitcycle + 1] | @tsv' ce/from.stats ce/to.stats)
	read -r from to < <(moments cetrace ce)
	from=(--from "${from/T/ }" --to "${to/T/ }")
	# beside them its head, once after what was written before was committed, and for one of before
	between 'Ceph: writes to its journal' "$writes" "$(sum files cetrace writes --path '*/osd/journal' "${from[@]}")" $((writes + heads))
	between 'Ceph: bytes of its journal' "$journal" "$(sum files cetrace write_bytes --path '*/osd/journal' "${from[@]}")" $((journal + heads * 4096))
	between 'Ceph: bytes of objects' 13107200 "$(sum files cetrace write_bytes --path '*/osd/current/*_head/*' "${from[@]}")" 13200000
	between 'Ceph: bytes written by its processes' $((journal + 13107200)) "$(sum amp cetrace sys_write_bytes "${from[@]}")" $((journal + 14107200))
	if [ "$(n_rows cetrace ds)" = 0 ]; then
		skip "Ceph: what $tmp is on has no requests of its own"
	else
		# the journal goes there directly, objects when their time has come, and how often what was added to a log
		# or a database goes there again is a matter of time
		device=$(sum amp cetrace blk_write_bytes "${from[@]}")
		check "Ceph: bytes of the device: $device, $journal at least" [ "$device" -ge "$journal" ]
		# shellcheck disable=SC2046 # two numbers
		read -r device written < <(pages cetrace $(cat ce/pids))
		between "Ceph: bytes of the device for its daemons' data" "$journal" "$device" "$written"
	fi
}
ceph_osd
