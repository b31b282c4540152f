#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream nw_drop against the kernel's own counters: two network namespaces with a
# link that loses packets between them, then packets that nobody takes. Everything
# happens in one trace of each tier; what was done is claimed later.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

drops=$builddir/tests/conform/drops
work=/tmp/drop
[ -x "$drops" ] || { echo 'tests/conform/drops is not built'; exit 77; }
command -v tc >/dev/null || { echo 'no tc: iproute2 is missing'; exit 77; }
mkdir -p $work
alone=
enough=50 # segments sent again, of which claims are made

left()
{
	ip netns exec left "$@"
}

right()
{
	ip netns exec right "$@"
}

# ip_of SIDE VERSION
ip_of()
{
	local n=1

	[ "$1" = left ] || n=2
	if [ "$2" = 4 ]; then echo 10.9.0.$n; else echo fd09::$n; fi
}

link()
{
	local side

	modprobe veth 2>/dev/null
	for side in left right; do
		ip netns add $side && ip -n $side link set lo up || return
	done
	ip link add to-right netns left type veth peer name to-left netns right || return
	for side in left:to-right right:to-left; do
		# an address that is still examined is not used (nodad), and nobody answers for it
		ip -n ${side%:*} addr add "$(ip_of ${side%:*} 4)/24" dev ${side#*:} &&
			ip -n ${side%:*} addr add "$(ip_of ${side%:*} 6)/64" dev ${side#*:} nodad &&
			ip -n ${side%:*} link set ${side#*:} up || return
	done
}

# number SIDE GROUP COUNTER: of the namespace; a counter that is not there is 0
number()
{
	ip netns exec "$1" cat /proc/net/snmp /proc/net/netstat | awk -v group="$2:" -v name="$3" '
		$1 == group && !at { for (i = 2; i <= NF; i++) if ($i == name) at = i; next }
		$1 == group && at { print $at; found = 1; exit }
		END { if (!found) print 0 }'
}

# number6 SIDE COUNTER
number6()
{
	ip netns exec "$1" cat /proc/net/snmp6 | awk -v name="$2" '$1 == name { print $2; n++ } END { if (!n) print 0 }'
}

# both GROUP COUNTER: of both sides
both()
{
	echo $(($(number left "$1" "$2") + $(number right "$1" "$2")))
}

# grown FILE VALUE: what it is now less what it was
grown()
{
	echo $(($2 - $(<"$work/$1")))
}

# trace_cells STREAM COLUMN[,COLUMN]...: cells of this tier's trace
trace_cells()
{
	cells "$work/$tier" "$1" "$2"
}

# losses COUNT: what the ledger says is missing from the stream. Before 5.12 the kernel skips programs that
# interrupt others without counting them: then up to a twentieth.
losses()
{
	local n=0

	! skips_silently || n=$(($1 / 20 + 1))
	[ ! -d "$work/$tier/lost" ] ||
		n=$((n + $(trace_cells lost stream,count | awk -F '\t' '$1 == "nw_drop" { n += $2 } END { print n + 0 }')))
	echo $n
}

skips_silently()
{
	[[ $(uname -r) =~ ^(4|5\.([0-9]|10))\. ]] && [ "$alone" = '' ] &&
		! jq -e '.plan[] | select(.stream == "nw_drop") | .chosen | endswith("_RAW")' \
			"$work/$tier/manifest.json" >/dev/null
}

# same ROWS COUNT: equal, or the ledger has what is missing
same()
{
	local lost

	lost=$(losses "$2")
	echo "rows $1, counted $2, at most $lost lost"
	[ "$1" -le "$2" ] && [ "$2" -le $(($1 + lost)) ]
}

# trace OPTION...
trace()
{
	local i

	rm -rf "${work:?}/$tier"
	"$iotracer" record -v --image "$rw/image-$tier" "$@" "${tier_options[@]}" -o "$work/$tier" \
		2>"$work/$tier.log" &
	tracer=$!
	for ((i = 0; i < 300; i++)); do
		! grep -q 'recording into' "$work/$tier.log" || return 0
		sleep 0.1
	done
	cat "$work/$tier.log"
	return 1
}

# Connections that are still closing send again what is lost.
quiet()
{
	local i

	for ((i = 0; i < 60; i++)); do
		[ -n "$(left ss -Htan | grep -v TIME-WAIT)$(right ss -Htan | grep -v TIME-WAIT)" ] || return 0
		sleep 1
	done
	return 1
}

# ---- what is done ----

# Twelve connections, half of them long enough to lose something in every state
do_connections()
{
	local i version

	right timeout 120 "$drops" serve 5001 12 &
	sleep 1
	for i in 1 2 3 4 5 6; do
		for version in 4 6; do
			left timeout 60 "$drops" send "$(ip_of right $version)" 5001 $((i < 3 ? 500000 : 3000))
		done
	done
	wait $!
	quiet
}

# A tenth of what leaves either side is lost: data, acknowledgements, SYNs and their answers. How
# much that is differs from time to time: it goes on until the kernel has sent enough again.
do_losses()
{
	local rounds

	modprobe sch_netem 2>/dev/null
	if ! left tc qdisc add dev to-right root netem loss 10% || ! right tc qdisc add dev to-left root netem loss 10%; then
		echo 'no netem' >"$work/netem.skip"
		return
	fi
	for ((rounds = 0; rounds < 8; rounds++)); do
		do_connections
		[ "$(grown segments "$(both Tcp RetransSegs)")" -le $enough ] || break
	done
	for side in left:to-right right:to-left; do
		ip netns exec ${side%:*} tc -s qdisc show dev ${side#*:} | sed -n 's/.*dropped \([0-9]*\),.*/\1/p'
		ip netns exec ${side%:*} tc qdisc del dev ${side#*:} root
	done | awk '{ n += $1 } END { print n }' >"$work/netem"
}

# Where the rules cannot be had nothing is sent that they would drop. All in one: a kernel without
# CONFIG_NF_TABLES_INET takes the table alone, and the packets would then be for a port that nobody has.
do_packets()
{
	local rules='table inet t { chain in { type filter hook input priority 0; udp dport 7003 drop; }; }'

	left "$drops" udp "$(ip_of right 4)" 7001 23 100 4001
	left "$drops" udp "$(ip_of right 6)" 7001 19 200 4001
	left "$drops" badsum "$(ip_of right 4)" 7002 17
	left "$drops" options "$(ip_of right 6)" 7001 11 4005
	left "$drops" badping "$(ip_of right 4)" 9
	left "$drops" frame to-right 13
	if command -v nft >/dev/null && right nft -f - <<<"$rules" 2>$work/nft.log; then
		left "$drops" udp "$(ip_of right 4)" 7003 11 100 4003
		left "$drops" udp "$(ip_of right 6)" 7003 7 100 4003
		right nft delete table inet t
	else
		echo "no nft, or no netfilter: $(head -n 1 $work/nft.log 2>/dev/null)" >"$work/nft.skip"
	fi
}

# What the kernel has counted so far; stop has what came since.
counters()
{
	both Tcp RetransSegs >$work/segments
	both TcpExt TCPRetransFail >$work/failed
	number right Udp NoPorts >$work/ports4
	number6 right Udp6NoPorts >$work/ports6
	number right Udp InCsumErrors >$work/sums
	number right Icmp InCsumErrors >$work/pings
}

stop()
{
	grown segments "$(both Tcp RetransSegs)" >$work/segments.n
	grown failed "$(both TcpExt TCPRetransFail)" >$work/failed.n
	grown ports4 "$(number right Udp NoPorts)" >$work/ports4.n
	grown ports6 "$(number6 right Udp6NoPorts)" >$work/ports6.n
	grown sums "$(number right Udp InCsumErrors)" >$work/sums.n
	grown pings "$(number right Icmp InCsumErrors)" >$work/pings.n
	kill -INT "$tracer"
	wait "$tracer"
	cat "$work/$tier.log"
}

kernel_events()
{
	local event

	for event in skb/kfree_skb tcp/tcp_retransmit_skb tcp/tcp_retransmit_synack; do
		[ ! -d /sys/kernel/tracing/events/$event ] || echo "$1" >/sys/kernel/tracing/events/$event/enable
	done
}

do_all()
{
	counters
	# what the kernel itself says of the same event
	echo >/sys/kernel/tracing/trace
	kernel_events 1
	trace -e nw_drop,nw --all-drops || return
	do_losses
	do_packets
	sleep 1
	stop
	kernel_events 0
	cp /sys/kernel/tracing/trace $work/kernel
}

# The same losses while nothing else is traced: what no raw tracepoint sees has nothing to interrupt.
do_alone()
{
	counters
	trace -e nw_drop || return
	do_losses
	stop
}

# ---- claims ----

# claim NAME CLAIM COMMAND...
claim()
{
	if [ -s "$work/$1.skip" ]; then
		skip "tier $tier: $2: $(<"$work/$1.skip")"
	else
		check "tier $tier: ${*:2:1}" "${@:3}"
	fi
}

# A row may be several segments: they have at most the bytes that a frame of 1,500 leaves
# beside both headers and a time stamp. The kernel counts failed attempts as well.
retransmissions()
{
	local segments

	segments=$(trace_cells nw_drop event_type,ip_version,packet_size | awk -F '\t' '
		$1 == "TCP_RETRANSMIT" { mss = $2 == 4 ? 1448 : 1428; n += $3 > mss ? int(($3 + mss - 1) / mss) : 1 }
		END { print n + 0 }')
	echo "failed: $(<$work/failed.n)"
	[ "$(<$work/segments.n)" -gt $enough ] && same "$segments" $(($(<$work/segments.n) - $(<$work/failed.n)))
}

# Without kernel headers a row has no size: one is at least a segment, and the kernel's own print of
# the same events has as many lines. Since 6.16 that has failed attempts as well.
some_retransmissions()
{
	local rows events

	rows=$(trace_cells nw_drop event_type | grep -c TCP_RETRANSMIT)
	events=$(grep -E ' tcp_retransmit_(skb|synack): ' $work/kernel | grep -cv ' err=-')
	echo "rows $rows, events $events, segments $(<$work/segments.n)"
	[ "$(<$work/segments.n)" -gt $enough ] && [ "$events" -gt 0 ] && same "$rows" "$events" &&
		[ "$rows" -le "$(<$work/segments.n)" ]
}

# Both versions, the addresses of the two sides, states of connections that have something to send
ends_of_retransmissions()
{
	trace_cells nw_drop event_type,protocol,ip_version,source_addr,dest_addr,source_port,dest_port,tcp_state |
		awk -F '\t' '
			$1 != "TCP_RETRANSMIT" { next }
			$2 != "TCP" || ($6 != 5001 && $7 != 5001) || $4 == $5 { bad++; print }
			($4 != "10.9.0.1" && $4 != "10.9.0.2" || $5 != "10.9.0.1" && $5 != "10.9.0.2") && $3 == 4 { bad++; print }
			($4 != "fd09::1" && $4 != "fd09::2" || $5 != "fd09::1" && $5 != "fd09::2") && $3 == 6 { bad++; print }
			$8 !~ /^(ESTABLISHED|SYN_SENT|SYN_RECV|NEW_SYN_RECV|FIN_WAIT1|CLOSE_WAIT|LAST_ACK|CLOSING)?$/ { bad++; print }
			{ seen[$3]++; state[$8]++ }
			END {
				for (s in state) printf "%s %d ", s, state[s]
				print "IPv4", seen[4], "IPv6", seen[6]
				exit bad || !seen[4] || !seen[6]
			}'
}

# word NUMBER: what the running kernel calls a reason; empty when it has none
word()
{
	grep -o "{ $1, \"[A-Z0-9_]*\" }" /sys/kernel/tracing/events/skb/kfree_skb/format | head -n 1 | cut -d '"' -f 2
}

has_reasons()
{
	grep -q 'skb_drop_reason reason' /sys/kernel/tracing/events/skb/kfree_skb/format
}

# dropped REASON LINE...: how many rows of PACKET_DROP are these (protocol, version, ends, ports; tabs between)
dropped()
{
	local reason=$1

	shift
	has_reasons || reason=
	trace_cells nw_drop "event_type,drop_reason_name,$shape" | grep -cxF "PACKET_DROP	$reason	$*"
}

# udp VERSION FROM TO: its line
udp()
{
	case $tier in
	c) echo "	$1				" ;;
	*) echo "UDP	$1	$(ip_of left "$1")	$(ip_of right "$1")	$2	$3" ;;
	esac
}

# Without reasons and addresses there are places.
by_places()
{
	same "$(trace_cells nw_drop event_type,location | grep -cP '^PACKET_DROP\t__udp4_lib_rcv\+')" $((23 + 17)) &&
		same "$(trace_cells nw_drop event_type,location | grep -cP '^PACKET_DROP\t__udp6_lib_rcv\+')" $((19 + 11))
}

nobody_there()
{
	[ "$(<$work/ports4.n)" = 23 ] && [ "$(<$work/ports6.n)" = $((19 + 11)) ] || return
	if [ "$tier" = c ] && ! has_reasons; then
		by_places
		return
	fi
	if [ "$tier" = c ]; then
		same "$(dropped NO_SOCKET "$(udp 4)")" 23 && same "$(dropped NO_SOCKET "$(udp 6)")" $((19 + 11))
		return
	fi
	same "$(dropped NO_SOCKET "$(udp 4 4001 7001)")" 23 && same "$(dropped NO_SOCKET "$(udp 6 4001 7001)")" 19 &&
		same "$(dropped NO_SOCKET "$(udp 6 4005 7001)")" 11
}

# Type and code stand where others have ports.
wrong_pings()
{
	[ "$(<$work/pings.n)" = 9 ] &&
		same "$(dropped ICMP_CSUM "ICMP	4	$(ip_of left 4)	$(ip_of right 4)	8	0")" 9
}

wrong_sums()
{
	[ "$(<$work/sums.n)" = 17 ] && same "$(dropped UDP_CSUM "$(udp 4 7002 7002)")" 17
}

by_netfilter()
{
	if [ "$tier" = c ] && ! has_reasons; then
		# nothing but the place tells them apart
		same "$(trace_cells nw_drop event_type,location | grep -cP '^PACKET_DROP\tnf_hook_slow\+')" $((11 + 7))
		return
	fi
	same "$(dropped NETFILTER_DROP "$(udp 4 4003 7003)")" 11 && same "$(dropped NETFILTER_DROP "$(udp 6 4003 7003)")" 7
}

# What netem drops is TCP on its way out, and neighbours that look for each other.
by_netem()
{
	local name=

	! has_reasons || name=QDISC_DROP
	echo "by netem: $(<$work/netem)"
	same "$(trace_cells nw_drop event_type,ip_version,drop_reason_name,location |
		awk -F '\t' -v name=$name '$1 == "PACKET_DROP" && $3 == name && $4 ~ /^(__dev_xmit_skb|__dev_queue_xmit|kfree_skb_list)/' |
		wc -l)" "$(<$work/netem)"
}

# Frames of a protocol that nobody knows: no IP, no addresses.
not_ip()
{
	local rows

	rows=$(trace_cells nw_drop event_type,protocol,ip_version,source_addr,dest_addr,source_port,dest_port,location |
		grep -cP '^PACKET_DROP\t\t\t\t\t\t\t__netif_receive_skb_core')
	same "$rows" 13
}

# The name is that of this kernel's number; without reasons both are empty.
names_of_reasons()
{
	local reason name

	while IFS=$'\t' read -r reason name; do
		echo "$reason ${name:-(no name)}"
		[ "$(word "$reason")" = "$name" ] || return
	done < <(trace_cells nw_drop event_type,drop_reason,drop_reason_name | sed -n 's/^PACKET_DROP\t//p' | sort -u)
}

# function+0xoffset, as the kernel's own print of the same events has it
locations()
{
	trace_cells nw_drop event_type,location | sed -n 's/^PACKET_DROP\t//p' | sort -u >$work/have
	cat $work/have
	grep -qvE '^[A-Za-z0-9_.]+\+0x[0-9a-f]+$' $work/have && return 1
	sed -n 's/.* location=\([A-Za-z0-9_.]*+0x[0-9a-f]*\)\/.*/\1/p' $work/kernel | sort -u >$work/want
	if [ ! -s $work/want ]; then
		echo 'the kernel prints addresses'
		return
	fi
	comm -23 $work/have $work/want | grep . && return 1
	return 0
}

no_name_below_5_17()
{
	! trace_cells nw_drop event_type,drop_reason,drop_reason_name | sed -n 's/^PACKET_DROP\t//p' | grep -v '^0	$'
}

# tier NAME IMAGE-OPTION...
tier()
{
	tier=$1
	tier_options "$1"
	shift
	rm -f $work/*.skip
	shape=protocol,ip_version,source_addr,dest_addr,source_port,dest_port
	tier_image "$tier" || return
	check "tier $tier: traced" do_all
	if ! jq -e '.plan[] | select(.stream == "nw_drop" and .operation == "TCP_RETRANSMIT") | .chosen' \
		"$work/$tier/manifest.json" >/dev/null; then
		echo 'this kernel has no tracepoint of retransmissions' >$work/again.skip
	elif [ -s $work/netem.skip ]; then
		cp $work/netem.skip $work/again.skip
	fi
	if [ "$tier" = c ]; then
		echo 'no type and code without kernel headers' >$work/pings.skip
		has_reasons || echo 'neither a reason nor ports tell them apart' >$work/sums.skip
	fi
	case $tier in
	c) claim again 'retransmissions are the events that the kernel prints' some_retransmissions ;;
	*) claim again 'retransmissions are the segments that the kernel counts' retransmissions ;;
	esac
	claim again 'retransmissions name both ends and a state' ends_of_retransmissions
	claim netem 'what netem drops is dropped' by_netem
	claim all 'datagrams to a port that nobody has' nobody_there
	claim sums 'datagrams with a wrong checksum' wrong_sums
	claim pings 'echo requests with a wrong checksum' wrong_pings
	claim nft 'datagrams dropped by a rule' by_netfilter
	claim all 'frames of an unknown protocol (--all-drops)' not_ip
	if has_reasons; then
		claim all "reasons have this kernel's names" names_of_reasons
	else
		claim all 'there are no reasons' no_name_below_5_17
	fi
	claim all 'locations are functions and offsets' locations
	if [ "$tier" = a ] && skips_silently; then
		alone=1
		check "tier $tier: traced alone" do_alone
		claim again 'alone, retransmissions are the segments that the kernel counts' retransmissions
		alone=
	fi
}

check 'two namespaces and a link' link || exit
! part a || tier a
case $(uname -r) in
4.14.*) skip 'tier b: without kprobes nothing tells of retransmissions' ;;
*) ! part b || tier b ;; # the programs of tier a
esac
! part c || tier c
