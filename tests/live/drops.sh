#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream nw_drop: datagrams to ports that nobody has, in a network namespace of
# their own, against its counters. The kernel may hand packets to ksoftirqd, whose
# rows no filter by process shows: there are three tries.
. "$(dirname "$0")/lib.sh"

drops=$(program drops) || skip_all 'tests/conform/drops is not built and cannot be'
command -v ip >/dev/null || skip_all 'ip is missing'
unshare -n true 2>/dev/null || skip_all 'there are no network namespaces'
format=$(cat /sys/kernel/tracing/events/skb/kfree_skb/format /sys/kernel/debug/tracing/events/skb/kfree_skb/format 2>/dev/null)
[ -n "$format" ] || skip_all 'there is no tracepoint skb:kfree_skb'

cat >work <<'E2'
ip link set lo up
"$1" udp 127.0.0.1 7001 23 100 4001
[ ! -e /proc/net/if_inet6 ] || "$1" udp ::1 7001 19 200 4001
"$1" frame lo 13
awk '$1 == "Udp:" && at { print $at > "ports4" } $1 == "Udp:" { for (i = 2; i <= NF; i++) if ($i == "NoPorts") at = i }' \
	/proc/net/snmp
awk '$1 == "Udp6NoPorts" { print $2 }' /proc/net/snmp6 >ports6 2>/dev/null
E2

# once DIR OPTION...: what is not to be there is not; rows of all three kinds as the kernel counts
once()
{
	local dir=$1

	shift
	rm -rf "$dir"
	record "$dir" -e nw_drop "$@" -- unshare -n bash work "$drops" || return
	echo "ports: $(cat ports4 ports6 | xargs)"
	cells "$dir" nw_drop event_type,ip_version,drop_reason_name,location | sort | uniq -c
}

# count DIR VERSION: datagrams among its rows
count()
{
	local name=

	[[ $format != *skb_drop_reason* ]] || name=NO_SOCKET
	cells "$1" nw_drop event_type,ip_version,drop_reason_name,location |
		grep -cP "^PACKET_DROP\t$2\t$name\t_*udp[46]?[a-z0-9_.]*\\+0x"
}

datagrams()
{
	for _ in 1 2 3; do
		once s --drops || return
		[ "$(cat ports4)" = 23 ] || return
		[ "$(count s 4)" -le 23 ] && [ "$(count s 6)" -le "$(cat ports6)" ] || return
		[ "$(count s 4)" = 23 ] && [ "$(count s 6)" = "$(cat ports6)" ] && return
	done
	return 1
}

# The frames on lo are none of IP.
only_ip()
{
	! cells s nw_drop ip_version | grep -q '^$'
}

frames()
{
	for _ in 1 2 3; do
		once all --all-drops || return
		[ "$(cells all nw_drop event_type,protocol,ip_version,source_addr,dest_addr,source_port,dest_port,location |
			grep -cP '^PACKET_DROP\t{7}__netif_receive_skb_core')" = 13 ] && return
	done
	return 1
}

nothing_by_default()
{
	once default || return
	! cells default nw_drop event_type | grep -q PACKET_DROP
}

# Of each number, by the kernel's own list: empty when it has none
names()
{
	local reason name

	while IFS=$'\t' read -r reason name; do
		[ "$(grep -o "{ $reason, \"[A-Z0-9_]*\" }" <<<"$format" | head -n 1 | cut -d '"' -f 2)" = "$name" ] || return
	done < <(cells s nw_drop drop_reason,drop_reason_name | sort -u)
}

# An image has the program when `build` was asked for it.
needs_an_image_with_drops()
{
	local status

	"$IOTRACER" doctor --collect facts.tar.gz 2>/dev/null &&
		"$IOTRACER" build -q --root facts.tar.gz --no-headers -e nw_drop -o without &&
		"$IOTRACER" build -q --root facts.tar.gz --no-headers -e nw_drop --drops -o with || return
	"$IOTRACER" record -o i1 --no-kprobes --image without -e nw_drop --drops -- true 2>said
	status=$?
	cat said
	[ $status = 1 ] && grep -q 'built without --drops' said && one_message said &&
		"$IOTRACER" record -q -o i2 --no-kprobes --image with -e nw_drop --drops -- true &&
		"$IOTRACER" record -q -o i3 --no-kprobes --image with -e nw_drop -- true
}

check 'datagrams to a port that nobody has' datagrams
check 'packets that are not IP are left out' only_ip
check 'packets that are not IP, with --all-drops' frames
check 'no packets without --drops' nothing_by_default
check "reasons have this kernel's names" names
check 'an image without --drops is refused where they are asked for' needs_an_image_with_drops
