#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a service needs of the recorder: options in a file, with what is wrong by line; traces beside each other, of
# which a killed one is repaired and the oldest give room; what a service manager hears; and a reload between whose
# two recordings no call is missing. service-systemd.sh has the manager itself.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'python3 is not installed'

cat >wrong.conf <<'END'
# a comment
rotate-size = 10X

compress=gz
  nonsense = 3
rotat-time = 5
no-snapshots = yes
max-disk
config = other.conf
END
check_config() # FILE STATUS
{
	local status

	"$IOTRACER" record --config "$1" --check-config 2>said
	status=$?
	[ $status = "$2" ]
}
check 'wrong options are wrong usage' check_config wrong.conf 2
lines()
{
	cat >wanted <<-'END'
		iotracer: wrong.conf:2: --rotate-size: invalid size '10X' (e.g. 100M, 1G)
		iotracer: wrong.conf:5: unknown option 'nonsense'
		iotracer: wrong.conf:6: unknown option 'rotat-time', did you mean rotate-time
		iotracer: wrong.conf:7: option 'no-snapshots' takes no argument
		iotracer: wrong.conf:8: option 'max-disk' needs an argument
		iotracer: wrong.conf:9: option 'config' is for the command line alone
	END
	diff wanted said
}
check 'each with its line' lines
printf 'events = fs\nevents = ds\nno-rows\n' >together.conf
check 'and those that do not fit together' check_config together.conf 2
check 'a file that is not there' check_config missing.conf 2
check 'the example of the package is right' check_config "$tests_dir/../data/systemd/iotracer.conf" 0

mkdir load
cat >t.conf <<END
path = $tmp/load/*
events = fs
no-snapshots
rotate-size = 16k
END
# what it is recorded with, as options of a file
options=("${tier_options[@]}" --config t.conf --sessions traces)
start() # STATE
{
	"$IOTRACER" record "${options[@]}" 2>>said.all </dev/null &
	tracer=$!
	pids+=("$tracer")
	until_true 30 grep -q "$1" heard
}
until_true() # SECONDS COMMAND...
{
	local end=$((SECONDS + $1))

	shift
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}
newest()
{
	find traces -mindepth 1 -maxdepth 1 | sort | tail -n 1
}
write_files() # FIRST LAST
{
	local i

	for ((i = $1; i <= $2; i++)); do
		echo "$i" >load/$i
		[ $((i % 20)) != 0 ] || sleep 0.02
	done
}

python3 "$tests_dir/readers/manager.py" "$tmp/manager" heard &
pids+=($!)
until_true 10 test -S manager
export NOTIFY_SOCKET=$tmp/manager WATCHDOG_USEC=600000
check 'the manager hears when it records' start '^READY=1'
first=$tracer
write_files 1 200
check 'and that it goes on' until_true 5 grep -q '^WATCHDOG=1' heard
if [ "$LIVE_TIER" != c ]; then # names are not certain there
	write_files 201 2000 &
	writer=$!
	kill -HUP "$first"
	wait "$writer"
	check 'a reload is another process' until_true 20 grep -q '^MAINPID=[0-9]* READY=1' heard
	check 'the first one ends' wait "$first"
	second=$(sed -n 's/^MAINPID=\([0-9]*\).*/\1/p' heard)
	pids+=("$second")
	check 'having said what it does' [ "$(grep -cE '^(RELOADING=1 MONOTONIC_USEC=[0-9]+|STOPPING=1.*)$' heard)" = 1 ]
	write_files 2001 2200
	sleep 0.5
	kill -KILL "$second"
else
	kill -KILL "$first"
fi
killed=$(newest)
wait 2>/dev/null "$first"

echo 'rotat-time = 5' >wrong.conf
: >heard
check 'the next start' start '^READY=1'
check 'repairs what was killed' grep -q "$killed: its recorder was killed: closing what it left" said.all
check 'which is whole now' "$IOTRACER" verify "$killed"
recorded()
{
	local trace

	for trace in traces/*; do
		cells "$trace" fs operation,filename
	done | sed -n "s#^WRITE\t$tmp/load/\([0-9]*\)\$#\1#p" | sort -u >got
	seq 1 2200 | sort | comm -23 - got >missing
	[ ! -s missing ] || { paste -sd' ' missing; return 1; }
}
[ "$LIVE_TIER" = c ] || check 'no call is missing in the three' recorded
# about 0.6 MB each, of which 1 MB may stay
echo 'max-disk = 1M' >>t.conf
for i in 1 2 3; do
	kill -TERM "$tracer"
	wait "$tracer"
	: >heard
	start '^READY=1'
	dd if=/dev/zero of=load/a bs=1 count=3000 2>/dev/null
done
kill -TERM "$tracer"
wait "$tracer"
within()
{
	local total

	total=$(find traces -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
	echo "$total bytes in $(find traces -mindepth 1 -maxdepth 1 | wc -l) traces"
	[ "$total" -le 1048576 ] && [ "$total" -gt 600000 ] && [ "$(find traces -mindepth 1 -maxdepth 1 | wc -l)" -ge 2 ]
}
check 'all together keep to --max-disk' within
check 'what is left is whole, and says what went' "$IOTRACER" verify traces/*
check 'at the end the manager hears that, too' grep -q '^STOPPING=1' heard
