#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Network streams: the rows that conform-net says its calls on loopback leave,
# and no others of it.
. "$(dirname "$0")/../lib-live.sh"

net=$(program conform-net) || skip_all 'tests/conform-net is not built and cannot be'
command=${net##*/}
command=${command:0:15}

columns_of()
{
	case $1 in
	nw) echo direction,protocol,ip_version,source_addr,source_port,dest_addr,dest_port,size,requested_size,return_value,msg_flags ;;
	nw_conn) echo event_type,domain,sock_type,ip_version,local_addr,local_port,remote_addr,remote_port,fd,backlog,shutdown_how,return_value,protocol ;;
	nw_epoll) echo event_type,epoll_fd,target_fd,operation,event_mask,max_events,ready_count,timeout_ms,nfds,return_value ;;
	nw_sockopt) echo event_type,fd,level,option_name,option_value,return_value,option_len,option_text ;;
	esac
}

# The connection that is refused has a port that nobody can ask for: its row is looked at apart.
rows_are_those_expected()
{
	local stream=$1

	grep -P "^$stream\t" expected | cut -f2- >want
	cells s "$stream" "command,$(columns_of "$stream")" | grep "^$command	" | cut -f2- |
		grep -v -- '	-111	' >have
	diff want have
}

refused()
{
	[ "$(cells s nw_conn command,event_type,remote_addr,return_value | grep -c "^$command	CONNECT	.*	-111$")" = 2 ]
}

record s -e nw,nw_conn,nw_epoll,nw_sockopt -m 1024 -- "$net" $((20000 + RANDOM % 10000)) "$tmp/socket" >expected
check 'recorded' [ $? = 0 ]
for stream in nw_conn nw nw_epoll nw_sockopt; do
	check "rows of $stream" rows_are_those_expected $stream
done
check 'connections that are refused' refused
