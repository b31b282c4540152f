#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What only the kernel's functions show (tier a): the traffic of the kernel
# itself, in the name of its thread, and that of 32-bit programs. The kernel's is
# that of its NFS server, which answers one call that does nothing.
. "$(dirname "$0")/lib.sh"

[ "$LIVE_TIER" = a ] || skip_all 'only kprobes see these'
port=$((28000 + RANDOM % 1900)) # a range that no other script has

# ---- 32-bit programs ----

program_32()
{
	program=$builddir/tests/conform/conform_32_net
	[ -x "$program" ] || { echo 'no 32-bit compiler on the host'; return 77; }
	"$program" $((port + 1)) || { echo 'this kernel runs no 32-bit programs'; return 77; }
	record x -e nw,nw_conn -- "$program" "$port"
}

# Both ends of both connections: bytes, asked for, and the port that is ours on the right side
rows_of_32()
{
	cells x nw command,direction,protocol,source_addr,source_port,dest_addr,dest_port,return_value,requested_size |
		awk -F'\t' -v port="$port" '
			$1 != "conform_32_net" { next }
			{
				ours = $2 == "receive" ? $5 : $7
				client = $2 == "receive" ? $7 : $5
				if (ours != port || client < 1024 || client == port || $4 != "127.0.0.1" || $6 != $4 || $3 != "TCP")
					print "wrong:", $0
				if (!(client in number))
					number[client] = ++n
				print number[client], $2, $8, $9
			}' >have
	cat <<-EOF >want
		1 send 5 5
		1 receive 5 64
		2 send 7 7
		2 receive 7 64
		2 send 3 3
		2 receive 3 64
	EOF
	diff want have
}

program_32
case $? in
0)
	check '32-bit programs: rows of nw, through socketcall and calls of their own' rows_of_32
	check '32-bit programs: no rows of nw_conn, as the manual says' \
		[ "$(cells x nw_conn command | grep -c conform_32)" = 0 ]
	;;
77) skip '32-bit programs: they do not run here' ;;
*) fail '32-bit programs: recorded' ;;
esac

# ---- the kernel's own traffic ----

undo()
{
	[ ! -e /proc/fs/nfsd/threads ] || echo 0 >/proc/fs/nfsd/threads
	umount /proc/fs/nfsd 2>/dev/null
}

# Version 4 alone needs no rpcbind.
serve()
{
	modprobe nfsd 2>/dev/null && { mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd; } || return
	echo '-2 -3 +4' >/proc/fs/nfsd/versions 2>/dev/null || echo '-3 +4' >/proc/fs/nfsd/versions || return
	echo "tcp $port" >/proc/fs/nfsd/portlist && echo 1 >/proc/fs/nfsd/threads
}

# A call without arguments (program 100003, version 4, procedure 0): 4 bytes say how long it is, 40 what; 28 come back.
ask()
{
	exec 9<>"/dev/tcp/127.0.0.1/$port" || return
	printf '\x80\0\0\x28\x12\x34\x56\x78\0\0\0\0\0\0\0\2\0\1\x86\xa3\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >&9
	timeout 20 head -c 28 <&9 | od -An -tx1 | head -n 1
	exec 9<&-
}

# Each row of these bytes: the thread's name, both ports; the process is the kernel's thread.
rows_of_nfsd()
{
	local pid

	pid=$(sed -n 's/^\([0-9]*\)$/\1/p' nfsd.pid)
	cells k nw command,pid,direction,source_port,dest_port,return_value,source_addr,dest_addr |
		awk -F'\t' -v port="$port" -v pid="$pid" '
			$1 != "nfsd" { next }
			$4 != port || $5 < 1024 || $2 != pid || $7 !~ /127.0.0.1$/ || $8 !~ /127.0.0.1$/ { wrong = 1; print }
			$6 > 0 { n[$3] += $6 }
			END {
				print "received " n["receive"] + 0 ", sent " n["send"] + 0 ", pid " pid
				exit wrong || n["receive"] != 44 || n["send"] != 28
			}'
}

if serve 2>serve.log; then
	record_in_background k -e nw || fail 'a trace of the whole machine'
	pgrep -x nfsd | head -n 1 >nfsd.pid
	ask
	sleep 1
	end_tracer INT
	check 'the bytes of the NFS server in the kernel, by its thread' rows_of_nfsd
else
	skip "the traffic of the kernel: no NFS server in it: $(tail -n 1 serve.log)"
fi
