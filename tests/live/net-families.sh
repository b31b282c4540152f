#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sockets of no IP: their bytes are no rows of nw, and no losses either.
. "$(dirname "$0")/lib.sh"

program=$(program conform_families) || skip_all 'tests/conform/conform_families is not built and cannot be'

record s -e nw,nw_conn -m 1024 -- "$program" "$tmp/name" >absent
check 'recorded' [ $? = 0 ]
[ ! -s absent ] || skip "no $(cat absent) on this machine"
check "no loss of nw ($(lost s nw))" no_loss s nw
check 'no other loss' no_loss s
tcp_rows()
{
	cells s nw protocol,direction,size | sort | uniq -c | sed 's/^ *//'
}
check 'rows of nw are those of TCP' diff <(tcp_rows) <(printf '101 TCP\treceive\t1\n101 TCP\tsend\t1\n')
# the peer of accept(fd, NULL) is asked of /proc, which may have no answer any more
ends()
{
	cells s nw direction,source_addr,dest_addr,source_port,dest_port | sort -u
}
check 'each direction has one pair of ends' [ "$(ends | wc -l)" = 2 ]
check 'an address that the kernel left alone is not shown' [ -z "$(ends | cut -f2,3 | tr '\t' '\n' | grep -vx '127.0.0.1' | grep .)" ]
check 'families are told by name' diff <(cells s nw_conn event_type,domain | grep SOCKET_CREATE | cut -f2 | sort -u) \
	<(printf '%s\n' AF_INET AF_NETLINK AF_PACKET AF_UNIX)
check 'the protocol of another family is no IP protocol' \
	[ -z "$(cells s nw_conn domain,protocol | awk -F'\t' '$1 != "AF_INET" && $2 != ""')" ]

# Programs that look up names ask netlink and AF_UNIX first.
if command -v getent >/dev/null; then
	record g -e nw,nw_conn -- getent ahosts localhost >absent
	check 'getent ahosts localhost: no loss' no_loss g
else
	skip 'getent is not installed'
fi
