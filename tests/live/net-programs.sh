#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Network programs that nobody here wrote, against what they say of themselves:
# the bytes of both ends that iperf3 reports, what wrk and nginx count of
# requests and connections, the traffic that redis has seen.
#
# What they do not count: iperf3 names a connection of TCP in 37 bytes and begins
# one of UDP with 4 in each direction; redis does not count an answer before it
# is written.
#   LIVE_PROGRAMS  which of them (iperf nginx redis)
#   LIVE_BYTES     what iperf3 sends for each test (50 MB); redis and wrk do as much less
. "$(dirname "$0")/lib.sh"

bytes=${LIVE_BYTES:-50000000}
requests=$((bytes / 10000 + 7))
port=$((26000 + RANDOM % 1900)) # a range that no other script has

# 32 MiB a CPU, 256 MiB together
pages=8192
while [ $((pages * $(getconf _NPROCESSORS_ONLN))) -gt 65536 ]; do
	pages=$((pages / 2))
done

have()
{
	local name

	for name; do
		PATH=$PATH:/usr/sbin command -v "$name" >/dev/null && continue
		skip "$name is not installed"
		return 1
	done
}

# The rows of a session that are asked for often: name, direction, protocol, both ports, bytes.
rows_of()
{
	cells "$1" nw command,direction,protocol,source_port,dest_port,return_value >"$1.rows"
}

# moved SESSION AWK-CONDITION on name, way, proto, from, to: bytes of these rows
moved()
{
	awk -F'\t' "{ name = \$1; way = \$2; proto = \$3; from = \$4; to = \$5; ret = \$6 }
		ret > 0 && ($2) { n += ret }
		END { printf \"%d\", n }" "$1.rows"
}

# how_many SESSION EVENT COMMAND LEAST: rows of nw_conn with at least this result
how_many()
{
	cells "$1" nw_conn event_type,command,return_value |
		awk -F'\t' -v event="$2" -v command="$3" -v least="$4" '
			$1 == event && $2 == command && $3 >= least { n++ }
			END { print n + 0 }'
}

# connected SESSION COMMAND: connections, by their ports: one that goes on has two rows, and hiredis calls
# connect(2) again to see that it is there
connected()
{
	cells "$1" nw_conn event_type,command,local_port,return_value |
		awk -F'\t' -v command="$2" '
			$1 == "CONNECT" && $2 == command && $4 >= 0 && !seen[$3]++ { n++ }
			END { print n + 0 }'
}

# ---- iperf3 ----

# Each test has a server that ends with it; it is asked until it listens.
iperf_test()
{
	local i=$1 host=127.0.0.1

	shift
	case " $* " in
	*' -6 '*) host=::1 ;;
	esac
	echo "timeout 60 iperf3 -s -1 -J -p $((port + i)) >server.$i &"
	echo "for try in 1 2 3 4 5 6 7 8 9; do"
	echo "	timeout 60 iperf3 -c $host -p $((port + i)) -n $bytes -J $* >client.$i"
	echo "	! grep -q 'unable to connect' client.$i || { sleep 0.3; continue; }"
	echo "	break"
	echo "done"
	echo 'wait'
}

iperf_program()
{
	local tests=('' -6 -R '-P 2' -Z '-u -b 100M -l 1000' '-u -6 -b 100M -l 1000') i

	have iperf3 jq || return
	for i in "${!tests[@]}"; do
		iperf_test "$i" "${tests[i]}"
	done >iperf.sh
	record iperf -m "$pages" -e nw -- bash iperf.sh || fail 'iperf3: ended badly'
	rows_of iperf
	for i in "${!tests[@]}"; do
		iperf_compare "$i" "iperf3 ${tests[i]}"
	done
	check 'iperf: nothing was lost' no_loss iperf
}

# iperf_side I NAME client|server: own report, own rows. A connection is that of its ports.
iperf_side()
{
	local report=$3.$1 condition=0 from to sends n=0 handshake sent received

	while read -r from to; do
		condition="$condition || (from == $from && to == $to)"
		n=$((n + 1))
	done < <(jq -r '.start.connected[] | "\(.local_port) \(.remote_port)"' "$report" 2>/dev/null)
	[ "$condition" != 0 ] || { fail "$2: no report of the $3"; return; }
	sends=client
	[[ $2 != *-R* ]] || sends=server
	if [[ $2 == *-u* ]]; then
		handshake=4
	else
		handshake=$((37 * n))
	fi
	if [ "$sends" = "$3" ]; then
		sent=$(jq .end.sum_sent.bytes "$report")
		received=0
	else
		sent=0
		received=$(jq .end.sum_received.bytes "$report")
	fi
	# the client of TCP says who it is, the peers of UDP greet each other
	[ "$3" = server ] && [[ $2 != *-u* ]] || sent=$((sent + handshake))
	[ "$3" = client ] && [[ $2 != *-u* ]] || received=$((received + handshake))
	n=$(moved iperf "way == \"receive\" && ($condition)")
	# a client that receives empties the connection at its end, and counts that no more
	if [ "$3" = client ] && [ "$sends" = server ] && [ "$n" -gt "$received" ] && [ "$n" -le "$(jq .end.sum_sent.bytes "$report")" ]; then
		pass "$2: bytes that the client received, and $((n - received)) at its end"
		received=$n
	fi
	equal "$2: bytes that the $3 sent and received" "$sent $received" "$(moved iperf "way == \"send\" && ($condition)") $n"
}

iperf_compare()
{
	iperf_side "$1" "$2" client
	iperf_side "$1" "$2" server
}

# ---- nginx and wrk ----

# Small files are written (writev), large ones sent (sendfile).
nginx_config()
{
	cat <<EOF
daemon off;
worker_processes 2;
error_log $PWD/www/error.log;
pid $PWD/www/pid;
events { worker_connections 512; }
http {
	log_format sent '\$status \$bytes_sent \$request_length \$connection';
	access_log $PWD/www/access.log sent;
	client_body_temp_path $PWD/www/t1;
	proxy_temp_path $PWD/www/t2;
	fastcgi_temp_path $PWD/www/t3;
	uwsgi_temp_path $PWD/www/t4;
	scgi_temp_path $PWD/www/t5;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 50;
	server {
		listen 127.0.0.1:$port;
		root $PWD/www;
		location /small { return 200 "0123456789"; }
	}
}
EOF
}

# wrk asks by turns for both, not as fast as it can, and says what it counted.
wrk_script()
{
	cat <<EOF
local n = 0
request = function()
	n = n + 1
	return wrk.format(nil, n % 2 == 0 and "/small" or "/large")
end
delay = function()
	return 10
end
done = function(summary, latency, requests)
	io.write("counted " .. summary.requests .. " " .. summary.bytes .. " " .. summary.errors.status .. "\\n")
end
EOF
}

nginx_program()
{
	local counted wrk_bytes errors connections

	have nginx wrk || return
	mkdir www
	# its workers are nobody's
	chmod 755 www
	head -c 50000 /dev/urandom >www/large
	nginx_config >www/nginx.conf
	wrk_script >wrk.lua
	cat >nginx.sh <<EOF
PATH=\$PATH:/usr/sbin
nginx -e $PWD/www/error.log -c $PWD/www/nginx.conf &
nginx=\$!
for try in 1 2 3 4 5 6 7 8 9; do
	[ -s www/pid ] && break
	sleep 0.3
done
sleep 1
timeout 60 wrk -t 2 -c 10 -d 2 --timeout 20 -s wrk.lua http://127.0.0.1:$port/ >wrk.out 2>&1
sleep 1
kill -QUIT \$nginx
wait \$nginx
EOF
	record nginx -m "$pages" -e nw,nw_conn -- bash nginx.sh || fail 'nginx: ended badly'
	rows_of nginx
	read -r counted wrk_bytes errors < <(sed -n 's/^counted //p' wrk.out)
	if [ -z "$counted" ]; then
		fail "wrk: $(tail -n 1 wrk.out)"
		tail -n 3 www/error.log
		return
	fi
	equal 'wrk: answers that were no success' 0 "$errors"
	equal "wrk: bytes of $counted answers" "$wrk_bytes" "$(moved nginx 'name == "wrk" && way == "receive"')"
	connections=$(how_many nginx ACCEPT nginx 0)
	check "nginx: more than a few requests and connections ($counted, $connections)" \
		[ "$counted" -gt 20 -a "$connections" -gt 10 ]
	equal 'nginx: connections that it accepted and wrk made' "$(connected nginx wrk)" "$connections"
	equal 'nginx: bytes sent, as its log says' "$(awk '{ n += $2 } END { printf "%d", n }' www/access.log)" \
		"$(moved nginx 'name == "nginx" && way == "send"')"
	equal 'nginx: bytes received are those that wrk sent' "$(moved nginx 'name == "wrk" && way == "send"')" \
		"$(moved nginx 'name == "nginx" && way == "receive"')"
	check 'nginx: no fewer requests in its log than wrk counted' [ "$(wc -l <www/access.log)" -ge "$counted" ]
	check 'nginx: nothing was lost' no_loss nginx
}

# ---- redis ----

redis_program()
{
	local input output answer server

	have redis-benchmark redis-cli || return
	mkdir redis
	# Debian's package of tools has the server, too, under another name, and starts none
	server=$(command -v redis-server || command -v redis-check-rdb) || { skip 'redis-server is not installed'; return; }
	ln -s "$server" redis-server
	cat >redis.sh <<EOF
./redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no --dir "$PWD/redis" >redis.out 2>&1 &
server=\$!
for try in 1 2 3 4 5 6 7 8 9; do
	redis-cli -p $port ping 2>/dev/null | grep -q PONG && break
	sleep 0.3
done
timeout 100 redis-benchmark -p $port -q -n $requests -c 20 -d 100 -t set,get,lpush >bench.out 2>&1
timeout 100 redis-benchmark -p $port -q -n $((requests / 10)) -c 5 -d 20000 -P 4 -t set,get >>bench.out 2>&1
redis-cli -p $port info stats >info
kill \$server
wait \$server
EOF
	record redis -m "$pages" -e nw,nw_conn -- bash redis.sh || fail 'redis: ended badly'
	rows_of redis
	input=$(tr -d '\r' <info | sed -n 's/^total_net_input_bytes://p')
	output=$(tr -d '\r' <info | sed -n 's/^total_net_output_bytes://p')
	[ -n "$input" ] || { fail "redis: $(tail -n 1 redis.out)"; return; }
	# the answer to the question is not in it
	answer=$(awk -F'\t' '$1 == "redis-server" && $2 == "send" { n = $6 } END { print n + 0 }' redis.rows)
	equal 'redis: bytes received, as INFO says' "$input" "$(moved redis 'name == "redis-server" && way == "receive"')"
	equal 'redis: bytes sent, as INFO says, and that answer' $((output + answer)) \
		"$(moved redis 'name == "redis-server" && way == "send"')"
	equal 'redis: bytes received are those that were sent to it' \
		"$(moved redis 'name ~ /^redis-(benchmark|cli)/ && way == "send"')" \
		"$(moved redis 'name == "redis-server" && way == "receive"')"
	equal 'redis: connections that it accepted and others made' \
		$(($(connected redis redis-benchmark) + $(connected redis redis-cli))) \
		"$(how_many redis ACCEPT redis-server 0)"
	check "redis: at least $requests requests" [ "$(grep -c 'redis-server	receive' redis.rows)" -ge "$requests" ]
	check 'redis: nothing was lost' no_loss redis
}

for name in ${LIVE_PROGRAMS:-iperf nginx redis}; do
	began=$SECONDS
	"${name}_program"
	echo "$name: $((SECONDS - began)) s"
done
