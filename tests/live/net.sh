#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Network streams: the rows that conform_net and conform_sockets say their calls
# on loopback leave, and no others of them.
. "$(dirname "$0")/lib.sh"

columns_of()
{
	case $1 in
	nw) echo direction,protocol,ip_version,source_addr,source_port,dest_addr,dest_port,size,requested_size,return_value,msg_flags ;;
	nw_conn) echo event_type,domain,sock_type,ip_version,local_addr,local_port,remote_addr,remote_port,fd,backlog,shutdown_how,return_value,protocol ;;
	nw_epoll) echo event_type,epoll_fd,target_fd,operation,event_mask,max_events,ready_count,timeout_ms,nfds,return_value ;;
	nw_sockopt) echo event_type,fd,level,option_name,option_value,return_value,option_len,option_text ;;
	esac
}

# each script has ports of its own, as it may have company
port=20000
[ "$LIVE_TIER" != c ] || port=22000

# perform SESSION PROGRAM [ARG]...: what it expects, in SESSION.expected; options: of the trace
options=()
perform()
{
	local name=$1 program

	program=$(program "$2") || skip_all "tests/conform/$2 is not built and cannot be"
	command=${2:0:15}
	shift 2
	record "$name" -e nw,nw_conn,nw_epoll,nw_sockopt -m 1024 "${options[@]}" -- "$program" $((port + RANDOM % 1900)) "$@" \
		>"$name.expected"
}

# rows_of SESSION STREAM
rows_of()
{
	cells "$1" "$2" "command,$(columns_of "$2")" | grep "^$command	" | cut -f2-
}

# Of a connection that was refused only the kernel knows the port: its row is looked at apart.
rows_are_those_expected()
{
	diff <(grep -P "^$2\t" "$1.expected" | cut -f2-) <(rows_of "$1" "$2" | grep -v -- '	-111	')
}

refused()
{
	[ "$(cells s nw_conn command,event_type,remote_addr,return_value | grep -c "^$command	CONNECT	.*	-111$")" = 2 ]
}

perform s conform_net "$tmp/socket"
check 'recorded' [ $? = 0 ]
for stream in nw_conn nw nw_epoll nw_sockopt; do
	check "rows of $stream" rows_are_those_expected s $stream
done
check 'connections that are refused' refused

options=(--sockopt-levels "IPPROTO_IP,4711")
perform o conform_net "$tmp/socket2"
options=()
other_levels()
{
	diff <(grep -P '^other\t' o.expected | cut -f2-) <(rows_of o nw_sockopt)
}
check 'options of other levels, when asked for' other_levels

# ---- less usual ways ----

# What only the kernel's functions tell, and differs between kernels: more messages follow (sendmmsg),
# pages instead of bytes (6.5).
known_flags()
{
	sed -E 's/\|?MSG_(BATCH|SPLICE_PAGES)//; s/\t\|/\t/'
}

# The local end of a connection that came to nothing is not compared (conform_sockets); without kernel
# headers the reason of one that went on is not told.
known_ends()
{
	awk -F'\t' -v OFS='\t' -v tier="$LIVE_TIER" '
		$1 == "CONNECT" && $12 < 0 { $5 = $6 = "" }
		tier == "c" && $1 == "CONNECT" && $12 == -107 { $12 = -111 }
		{ print }'
}

# What became of a connect that returned EINPROGRESS is told by a tracepoint, which 4.14 has not, or by a kprobe.
known_states()
{
	if [ "$LIVE_TIER" = a ] || [ -d /sys/kernel/tracing/events/sock/inet_sock_set_state ]; then
		cat
		return
	fi
	awk -F'\t' '
		$1 != "CONNECT" || !waits[$9] || $12 == -115 { print }
		$1 == "CONNECT" { waits[$9] = $12 == -115 }'
}

unusual_rows()
{
	sed '/^again/,$d' w.expected | grep -P "^$1\t" | cut -f2- | known_states | known_ends >want
	rows_of w "$1" | known_flags | known_ends | head -n "$(wc -l <want)" >have
	diff want have >differ && return
	head -n 40 differ
	return 1
}

# Those of sockets that had the same descriptor, one after the other: a port that is not known
# any more when it is asked for is left out, never taken from the next one.
same_descriptor()
{
	rows_of w "$1" | tail -n "$(sed '1,/^again/d' w.expected | grep -cP "^$1\t")" >have
	sed '1,/^again/d' w.expected | grep -P "^$1\t" | cut -f2- | paste have - | awk -F'\t' -v n="$2" '
		{
			for (i = 1; i <= NF / 2; i++)
				if ($i != $(i + NF / 2) && !(i == n && ($i == "" || $i == 0)) && !(i == n - 1 && $i == ""))
					wrong = wrong "\n" $0
			unknown += $n != $(n + NF / 2)
		}
		END {
			print NR " rows, " unknown + 0 " without a port" substr(wrong, 1, 1000)
			exit wrong != "" || NR < 100
		}'
}

perform w conform_sockets
check 'recorded, in less usual ways' [ $? = 0 ]
for stream in nw_conn nw nw_epoll; do
	check "rows of $stream, in less usual ways" unusual_rows $stream
done
check 'one descriptor after the other: ends of nw_conn' same_descriptor nw_conn 6
check 'one descriptor after the other: ends of nw' same_descriptor nw 5
check 'nothing of it was lost' no_loss w
