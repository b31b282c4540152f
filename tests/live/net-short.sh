#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A hundred thousand short connections: each row of them, or a loss in the
# ledger; the right ports in each; nothing left behind in the kernel's tables,
# and no more memory for many than for few.
#   LIVE_CONNECTIONS  how many (100000)
. "$(dirname "$0")/lib.sh"

n=${LIVE_CONNECTIONS:-100000}
program=$(program conform_short) || skip_all 'tests/conform/conform_short is not built and cannot be'
port=$((24000 + RANDOM % 1900)) # a range that no other script has

# 32 MiB a CPU, 256 MiB together
pages=8192
while [ $((pages * $(getconf _NPROCESSORS_ONLN))) -gt 65536 ]; do
	pages=$((pages / 2))
done

# The tracer is the parent of what it runs. Its memory is looked at when it has
# read all there was: until then its buffers hold more or less of it.
cat >work <<EOF
has_read_all()
{
	local i before now=-

	for i in \$(seq 60); do
		before=\$now
		now=\$(cut -d ' ' -f 14,15 /proc/\$PPID/stat)
		[ "\$now" != "\$before" ] || return
		sleep 0.5
	done
}
"$program" $port $((n / 10)) >few
has_read_all
grep VmRSS /proc/\$PPID/status >few.memory
"$program" $((port + 4)) $((n - n / 10)) >many
has_read_all
grep VmRSS /proc/\$PPID/status >many.memory
EOF
record s -v -m "$pages" -e nw,nw_conn -- bash work
check 'recorded' [ $? = 0 ]
read -r to_server to_client < <(cat few many | awk '{ a += $1; b += $2 } END { printf "%d %d\n", a, b }')

# exactly STREAM WANTED FOUND: what is missing has been counted
exactly()
{
	echo "$1: $2 wanted, $3 found, $(lost s "$1") lost"
	[ "$2" -eq "$3" ] || { [ "$(lost s "$1")" -gt 0 ] && [ "$2" -eq $(($3 + $(lost s "$1"))) ]; }
}

command='conform_short'
cells s nw command,direction,ip_version,source_addr,source_port,dest_addr,dest_port,size,return_value |
	grep "^$command	" >nw.rows
cells s nw_conn command,event_type,ip_version,local_addr,local_port,remote_addr,remote_port,return_value |
	grep "^$command	" >conn.rows

# An end that is not known is an empty cell, where something was lost.
unknown=$(($(lost s) > 0))

# Which way the bytes went, and how many, follows from the ports: the client's is the one that is not ours.
right_ends()
{
	awk -F'\t' -v port="$port" -v unknown="$unknown" '
		unknown && ($4 == "" || $6 == "") { n_unknown++; next }
		{
			ours = $5 >= port && $5 < port + 8
			client = ours ? $7 : $5
			server = ours ? $5 : $7
			address = $3 == 4 ? "127.0.0.1" : "::1"
			to_server = ($2 == "send") != ours
			want = client % (to_server ? 997 : 499) + 1
			if ($4 != address || $6 != address || server < port || server >= port + 8 || $8 != want || $9 != want) {
				if (++wrong < 10)
					print
			}
		}
		END { print NR " rows, " n_unknown + 0 " unknown, " wrong + 0 " wrong"; exit wrong > 0 || !NR }' nw.rows
}

right_connections()
{
	awk -F'\t' -v port="$port" -v unknown="$unknown" '
		$2 == "SOCKET_CREATE" || $2 == "BIND" || $2 == "LISTEN" { next }
		unknown && ($4 == "" || $6 == "") { n_unknown++; next }
		{
			address = $3 == 4 ? "127.0.0.1" : "::1"
			server = $2 == "ACCEPT" ? $5 : $7
			client = $2 == "ACCEPT" ? $7 : $5
			if ($4 != address || $6 != address || server < port || server >= port + 8 || client < 1024 ||
			    $8 < 0) {
				if (++wrong < 10)
					print
			}
			seen[server " " client] += $2 == "CONNECT" ? 1 : $2 == "ACCEPT" ? -1 : 0
		}
		END {
			for (pair in seen)
				differ += seen[pair] != 0
			print NR " rows, " n_unknown + 0 " unknown, " wrong + 0 " wrong, " \
				differ + 0 " pairs of ports that only one side has"
			exit wrong > 0 || !NR || (differ && !unknown)
		}' conn.rows
}

of_event()
{
	grep -c "^$command	$1	" conn.rows
}

same_bytes()
{
	local found

	found=$(awk -F'\t' -v port="$port" '
		{ ours = $5 >= port && $5 < port + 8; n[($2 == "send") != ours ? "server" : "client"] += $8 }
		END { printf "%d %d\n", n["server"], n["client"] }' nw.rows)
	echo "$((2 * to_server)) $((2 * to_client)) wanted, $found found"
	[ "$found" = "$((2 * to_server)) $((2 * to_client))" ] || [ "$unknown" = 1 ]
}

check "$n connections: rows of nw and losses" exactly nw $((4 * n)) "$(wc -l <nw.rows)"
check "$n connections: rows of nw_conn and losses" exactly nw_conn $((4 * n + 48)) "$(wc -l <conn.rows)"
if [ "$(lost s nw_conn)" = 0 ]; then
	for event in SOCKET_CREATE CONNECT ACCEPT SHUTDOWN; do
		wanted=$n
		[ "$event" != SOCKET_CREATE ] || wanted=$((n + 16))
		check "$n connections: $event of each" [ "$(of_event $event)" = "$wanted" ]
	done
fi
check 'the ends of each row of nw' right_ends
check 'the ends of each row of nw_conn' right_connections
check 'bytes' same_bytes

# Threads that live on have an entry each, and none is left of those that ended.
nothing_left()
{
	grep 'left in tables' s.log
	sed -n 's/.*left in tables: \([0-9]*\) calls.*, \([0-9]*\) of sockets.*/\1 \2/p' s.log |
		awk '{ n = $2 } END { exit !(n != "" && n < 8) }'
}
check 'no entry of a socket or a thread is left in the kernel' nothing_left

# Rows that wait for their place in time are at most 16,384 a stream (ORDER_ROWS), of
# some 320 bytes; whether they were ever that many at once, the machine's load decides.
waiting=$((2 * 16384 * 320 / 1024))

bounded()
{
	local few many

	few=$(awk '{ print $2 }' few.memory)
	many=$(awk '{ print $2 }' many.memory)
	echo "after $((n / 10)): $few kB, after $n: $many kB"
	[ "$many" -lt $((few + waiting + 2048)) ]
}
check 'the tracer needs no more memory for many' bounded
