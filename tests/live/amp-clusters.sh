#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Amplification of storage that keeps everything more than once, beside what it counts of itself: GlusterFS
# (volume profile).
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
	check 'GlusterFS: a volume with two bricks was written to' grep -q 'Data Written: 8388608 bytes' gl/profile || { tail -n 5 out; return; }
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
