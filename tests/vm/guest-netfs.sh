#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream netfs: the kernel's NFS server and its client in one machine, NFS of version 3 and 4. What the
# kernel adds up in mountstats is what rows add up to, by mount and operation. The network is made slow, so
# that what has to be the server's time is known.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

work=/tmp/netfs export=/mnt/ext4/export
delay=50 # ms, of each direction
mkdir -p $work $export

serve()
{
	local i

	command -v rpc.mountd >/dev/null || { echo 'nfs-kernel-server is not installed'; return 77; }
	modprobe -a nfsd nfsv3 nfsv4 || { echo 'this kernel has no NFS'; return 77; }
	mount -t tmpfs none /var/lib/nfs && mkdir -p /var/lib/nfs/v4recovery /run/rpcbind /run/sendsigs.omit.d || return
	touch /var/lib/nfs/etab /var/lib/nfs/rmtab
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd || return
	rpcbind -w 2>/dev/null || rpcbind || return
	exportfs -o rw,no_root_squash,insecure,fsid=0 127.0.0.1:$export || return
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	rpc.mountd -p 20048 && rpc.nfsd 4 || return
	echo Y >/proc/fs/nfsd/v4_end_grace 2>/dev/null
	for ((i = 0; i < 100; i++)); do
		rpcinfo -t 127.0.0.1 nfs 3 >/dev/null 2>&1 && return
		sleep 0.1
	done
	return 1
}

mounts()
{
	mkdir -p $work/3 $work/4
	mount -t nfs -o vers=3,nolock,proto=tcp,mountproto=tcp,mountport=20048 127.0.0.1:$export $work/3 &&
		mount -t nfs4 -o vers=4.2 127.0.0.1:/ $work/4
}

# recording NAME OPTION...: begins, of the whole machine
recording()
{
	local i

	rm -rf "${work:?}/$1"
	"$iotracer" record --image "$rw/image-netfs-$tier" "${tier_options[@]}" -o "$work/$1" "${@:2}" 2>"$work/$1.log" &
	tracer=$!
	for ((i = 0; i < 300; i++)); do
		! grep -q 'recording into' "$work/$1.log" || return 0
		sleep 0.1
	done
	cat "$work/$1.log"
	return 1
}

ended()
{
	kill -INT "$tracer"
	wait "$tracer" || { cat "$work/$1.log"; return 1; }
}

# load DIR: what a program does there; every operation that a mount has in daily life
load()
{
	mkdir "$1/d.$tier" && dd if=/dev/zero of="$1/d.$tier/big" bs=64k count=40 conv=fsync 2>/dev/null &&
		ln -s big "$1/d.$tier/link" && mv "$1/d.$tier/link" "$1/d.$tier/name" &&
		readlink "$1/d.$tier/name" >/dev/null && chmod 600 "$1/d.$tier/big" &&
		dd if="$1/d.$tier/big" of=/dev/null bs=64k iflag=direct 2>/dev/null && ls -l "$1/d.$tier" >/dev/null && ! stat "$1/d.$tier/none" 2>/dev/null &&
		rm -r "$1/d.$tier"
}

# stats FILE: mount, operation, count, transmissions, bytes sent and received, ms in the queue, at the server, altogether
stats()
{
	awk '
		$1 == "device" { at = $5 ~ /\/netfs\/[34]$/ ? "nfs" substr($5, length($5)) : ""; ops = 0 }
		$1 == "per-op" { ops = 1; next }
		at && ops && NF >= 9 { sub(":", "", $1); print at, $1, $2, $3, $5, $6, $7, $8, $9 }' /proc/self/mountstats >"$1"
}

# No request is under way: files are closed, and delegations given back, when nobody waits for it.
quiet()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[ -n "$(cat /sys/kernel/debug/sunrpc/rpc_clnt/*/tasks)" ] || return 0
		sleep 0.1
	done
	cat /sys/kernel/debug/sunrpc/rpc_clnt/*/tasks
	return 1
}

loaded()
{
	recording rows -e fs,netfs && quiet || return
	stats $work/before
	load $work/3 && load $work/4 && sync && quiet || return
	stats $work/after
	ended rows
}

# Rows and mountstats, by mount and operation: as many, sent as often, as many bytes (a message on TCP has four
# before it), and the same time: mountstats has whole milliseconds of its sums, rows microseconds of each.
# SEQUENCE and RENEW come by the clock, at any time; the tracer may look at a file itself.
same()
{
	cells $work/rows netfs protocol,operation,sends,queue_time_ms,server_time_ms,latency_ms,sent,received >$work/cells
	awk -F '\t' '
		FILENAME ~ /cells$/ {
			if ($1 != "nfs3" && $1 != "nfs4") next
			k = $1 " " $2
			n[k]++; sends[k] += $3 == "" ? 1 : $3
			queue[k] += $4; server[k] += $5; all[k] += $6
			sent[k] += $7; received[k] += $8; told[k] += $7 != "" && $8 != ""
			next
		}
		{
			split($0, f, " ")
			k = f[1] " " f[2]
			sign = FILENAME ~ /before$/ ? -1 : 1
			for (i = 3; i <= 9; i++) sum[k, i] += sign * f[i]
			seen[k]
		}
		function near(rows, ms, count) { return rows > ms - 1.001 - count / 1000 && rows < ms + 1.001 }
		END {
			for (k in n) if (!(k in seen)) { print "not in mountstats:", k; bad = 1 }
			for (k in seen) {
				if (k ~ / (SEQUENCE|RENEW|NULL)$/ || (!sum[k, 3] && !n[k])) continue
				kinds++
				if (k ~ / (GETATTR|ACCESS|LOOKUP|FSSTAT|STATFS|SERVER_CAPS)$/ && n[k] < sum[k, 3]) {
					print "the tracer, too:", k, n[k], "of", sum[k, 3]
					continue
				}
				ok = n[k] == sum[k, 3] && sends[k] == sum[k, 4] && near(queue[k], sum[k, 7], n[k]) &&
					near(server[k], sum[k, 8], n[k]) && near(all[k], sum[k, 9], n[k]) && told[k] == n[k] &&
					sent[k] + 4 * sends[k] == sum[k, 5] && received[k] == sum[k, 6]
				printf "%s %s: %d of %d, sent %d of %d, queue %.3f of %d, server %.3f of %d, all %.3f of %d ms, %d and %d of %d and %d bytes\n",
					ok ? "ok" : "WRONG", k, n[k], sum[k, 3], sends[k], sum[k, 4], queue[k], sum[k, 7], server[k], sum[k, 8],
					all[k], sum[k, 9], sent[k], received[k], sum[k, 5], sum[k, 6]
				if (!ok) bad = 1
			}
			print kinds, "kinds"
			exit bad || kinds < 15
		}' $work/cells $work/before $work/after
}

# READ and WRITE name the server and the file, this by its inode, which in tier c only a look in time tells; all bytes of
# both are there, in both mounts.
files()
{
	cells $work/rows netfs protocol,operation,server_addr,filename,size | awk -F '\t' -v dir="$work" -v tier="$tier" '
		$3 != "127.0.0.1" && $1 ~ /^nfs/ { print "no server:", $0; bad = 1 }
		$2 != "WRITE" && $2 !~ /^READ(_PLUS)?$/ { next }
		$4 != dir "/" substr($1, 4) "/d." tier "/big" && !(tier == "c" && $4 == "") { print "no name:", $0; bad = 1 }
		{ bytes[$1 " " substr($2, 1, 4)] += $5 }
		END {
			for (k in bytes) { print k, bytes[k]; n++; bad = bad || bytes[k] < 40 * 65536 }
			exit bad || n != 4
		}'
}

# The table of the report has each row once.
reported()
{
	"$iotracer" report $work/rows --section servers --csv >$work/servers || return
	awk -F , -v rows="$(wc -l <$work/cells)" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n += $at["count"] }
		END { print n, "of", rows; exit n != rows || !n }' $work/servers
}

slow_network()
{
	modprobe sch_netem 2>/dev/null
	tc qdisc add dev lo root netem delay ${delay}ms
}

# A read past the memory, and a sync: both wait for the server.
waited()
{
	local file=$work/4/slow.$tier

	dd if=/dev/zero of="$file" bs=64k count=1 conv=fsync 2>/dev/null || return
	slow_network || { echo 'no netem'; return 77; }
	recording why -e why,netfs && dd if="$file" of=/dev/null bs=64k iflag=direct 2>/dev/null &&
		dd if=/dev/zero of="$file" bs=64k count=1 conv=notrunc,fsync 2>/dev/null
	tc qdisc del dev lo root
	ended why
}

# Parts of each operation add up; the time at the server is no less than the network takes in both directions, of which
# the thread slept at least a half.
parts()
{
	"$iotracer" why $work/why --csv >$work/parts || return
	awk -F , -v least=$((delay * 1000000)) '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			sum = 0
			for (name in at) if (name ~ /_ns$/ && name != "latency_ns" && name != "mono_ns") sum += $at[name]
			if (sum != $at["latency_ns"]) { print "parts:", sum, $0; bad = 1 }
			server[$at["operation"]] += $at["server_ns"]
		}
		END {
			printf "READ %d, FSYNC %d ns at the server\n", server["READ"], server["FSYNC"]
			exit bad || server["READ"] < least || server["FSYNC"] < least
		}' $work/parts
}

network_time()
{
	cells $work/why netfs protocol,operation,server_time_ms | awk -F '\t' -v least=$((2 * delay)) '
		$1 == "nfs4" { n++; if ($3 < least - 0.001) { print "too fast:", $0; bad = 1 } }
		END { print n, "requests"; exit bad || !n }'
}

# ---- SMB: the kernel has a server since 5.15 ----

smb_served()
{
	local i

	command -v ksmbd.mountd >/dev/null || { echo 'ksmbd-tools is not installed'; return 77; }
	modprobe -a ksmbd cifs 2>/dev/null || { echo 'this kernel has no server of SMB'; return 77; }
	mkdir -p /etc/ksmbd /run/lock $work/smb /mnt/ext4/smb && chmod 777 /mnt/ext4/smb || return
	printf '[global]\n\tnetbios name = X\n[share]\n\tpath = /mnt/ext4/smb\n\twriteable = yes\n\tforce user = root\n' >/etc/ksmbd/ksmbd.conf || return
	ksmbd.adduser -a root -p secret || return
	ksmbd.mountd || return
	for ((i = 0; i < 50; i++)); do
		! mount -i -t cifs -o ip=127.0.0.1,username=root,password=secret,vers=3.1.1 //127.0.0.1/share $work/smb 2>$work/smb.log || return 0
		sleep 0.2
	done
	cat $work/smb.log
	return 1
}

smb_stats()
{
	awk '$2 ~ /^[0-9]+$/ && $3 == "total" { sub(":", "", $1); print $1, $2 }' /proc/fs/cifs/Stats >"$1"
}

smb_loaded()
{
	local i

	recording of-smb -e netfs || return
	smb_stats $work/smb.before
	dd if=/dev/zero of=$work/smb/big bs=64k count=20 conv=fsync 2>/dev/null &&
		dd if=$work/smb/big of=/dev/null bs=64k iflag=direct 2>/dev/null && ls -l $work/smb >/dev/null && rm $work/smb/big || return
	# files are closed a second after the last use
	for ((i = 0; i < 100; i++)); do
		! grep -q 'Open files: 0 total (local), 0 open on server' /proc/fs/cifs/Stats || break
		sleep 0.1
	done
	smb_stats $work/smb.after
	ended of-smb
}

# The kernel counts requests of each kind by share, also those of the tracer: it may look at a file, by a CREATE, a QUERY_INFO and
# a CLOSE in one.
smb_same()
{
	cells $work/of-smb netfs protocol,operation,server_time_ms,error >$work/cells
	awk -F '\t' '
		FILENAME ~ /cells$/ { if ($1 == "smb") n[$2]++; next }
		{ split($0, f, " "); sum[f[1]] += (FILENAME ~ /before$/ ? -1 : 1) * f[2] }
		END {
			split("Creates CREATE Closes CLOSE Flushes FLUSH Reads READ Writes WRITE QueryInfos QUERY_INFO SetInfos SET_INFO QueryDirectories QUERY_DIRECTORY", w, " ")
			looked = sum["Creates"] - n["CREATE"]
			for (i = 1; i in w; i += 2) {
				more = w[i + 1] ~ /^(CREATE|CLOSE|QUERY_INFO)$/ ? looked : 0
				print w[i + 1], n[w[i + 1]] + 0, "of", sum[w[i]] + 0
				if (n[w[i + 1]] + more != sum[w[i]] + 0) bad = 1
			}
			exit bad || !n["READ"] || !n["WRITE"] || !n["CREATE"]
		}' $work/cells $work/smb.before $work/smb.after
}

for tier in a c; do
	part $tier || continue
	if [ -z "${served:-}" ]; then
		check 'a server, and mounts of version 3 and 4' serve
		mountpoint -q /proc/fs/nfsd || exit
		check 'mounted' mounts || exit
		modprobe -q cifs
		served=1
	fi
	tier_options $tier
	image_facts='facts-netfs.tar.gz'
	check "tier $tier: compiled on the host" image netfs-$tier -e fs,ds,sched,netfs "${tier_options[@]}"
	check "tier $tier: traced" loaded
	check "tier $tier: rows are what mountstats counts" same
	check "tier $tier: reads and writes name their file and server" files
	check "tier $tier: the report has each request" reported
	check "tier $tier: operations that wait for a slow server" waited
	check "tier $tier: the time of requests has that of the network" network_time
	check "tier $tier: parts add up, and the server has its part" parts
	part smb || continue
	[ -n "${smb:-}" ] || { check 'a server of SMB' smb_served; mountpoint -q $work/smb || continue; smb=1; }
	check "tier $tier: SMB: traced" smb_loaded
	check "tier $tier: SMB: rows are what the kernel counts" smb_same
done
