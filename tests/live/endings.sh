#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a trace ends: by time, by signals, by the end of the command, by SIGKILL.
# What was recorded until then is there, and nothing is left in the kernel.
. "$(dirname "$0")/lib.sh"

# a writer of its own, traced with -p
(
	exec 9>>"$tmp/out"
	for ((;;)); do
		echo x >&9
		sleep 0.05
	done
) &
writer=$!
pids+=("$writer")

# lines N: until the writer has written so many more, each of which is traced by then
lines()
{
	local end=$(($(wc -l <out) + $1))

	eventually 20 eval '[ "$(wc -l <out)" -ge '$end' ]'
}

# segments DIR N: so many of stream fs are closed
segments()
{
	[ "$(find "$1/fs" -name '*.csv' 2>/dev/null | wc -l)" -ge "$2" ]
}

# begun DIR: rows are in a segment of fs that is not closed
begun()
{
	[ -n "$(find "$1/fs" -name '.*.part' -size +0 2>/dev/null)" ]
}

state()
{
	grep -q "\"state\": \"$2\"" "$1/manifest.json"
}

# whole SESSION: closed as it should be, with rows
whole()
{
	state "$1" complete && [ -z "$(find "$1" -name '*.part')" ] && [ "$(n_rows "$1" fs)" -gt 0 ] && return
	ls -laR "$1"
	grep '"state"\|"rows"\|"reason"' "$1/manifest.json"
	cat "$1.log"
	return 1
}

# by its rows: what comes before and after them takes as long as the machine is busy
about_two_seconds()
{
	cells "$1" fs mono_ns | sort -n | sed -n '1p; $p' | paste -s |
		awk '{ print ($2 - $1) / 1e9 " s"; exit !($2 - $1 > 1e9 && $2 - $1 < 4e9) }'
}

record d -e fs -p "$writer" -d 2
check '-d: status 0' [ $? = 0 ]
check '-d: about that long' about_two_seconds d
check '-d: complete' whole d

for signal in INT TERM; do
	record_in_background "$signal" -e fs -p "$writer"
	lines 5
	end_tracer "$signal"
	check "SIG$signal: status 0" [ $? = 0 ]
	check "SIG$signal: complete" whole "$signal"
	check "SIG$signal: the traced process lives" kill -0 "$writer"
done

record_in_background HUP -e fs -p "$writer"
for i in 1 2; do
	eventually 20 begun HUP
	kill -HUP "$tracer"
	eventually 20 segments HUP $i
done
lines 5
end_tracer
check 'SIGHUP: goes on, status 0' [ $? = 0 ]
n=$(find HUP/fs -name '*.csv' | wc -l)
check "SIGHUP: a new segment each time (2 times, $n segments)" [ "$n" = 3 ]
check 'SIGHUP: complete' whole HUP

record_in_background KILL -e fs -p "$writer" --rotate-time 1
eventually 20 segments KILL 2
lines 5
{ end_tracer KILL; } 2>/dev/null
check 'SIGKILL: what is left is readable' [ "$(n_rows KILL fs)" -gt 10 ]
check 'SIGKILL: only the last segment is open' [ "$(find KILL/fs -name '*.part' | wc -l)" -le 1 ]
check 'SIGKILL: the manifest says so' bash -c '! grep -q "\"state\": \"complete\"" KILL/manifest.json'
record after -e fs -p "$writer" -d 1
check 'after SIGKILL: the next start is clean' [ $? = 0 ]
check 'after SIGKILL: and complete' whole after

# the command is asked to end, too, and its last writes are still recorded
cat >traced <<'END'
trap 'echo last >>out2; exit 9' TERM
echo first >out2
for ((;;)); do sleep 0.05; done
END
"$IOTRACER" record -o cmd "${record_options[@]}" -e fs -- bash traced 2>cmd.log &
tracer=$!
pids+=("$tracer")
eventually 10 test -s out2
sleep 0.3
end_tracer TERM
check 'SIGTERM with a command: its exit status' [ $? = 9 ]
check 'SIGTERM with a command: its last write' \
	[ "$(cells cmd fs operation,filename,size | grep -cP "^WRITE\t$tmp/out2\t")" = 2 ]

gone()
{
	[ -z "$(ours iotracer)" ]
}
check 'what closes tracepoints vanishes' eventually 60 none_detaches
check 'no probe is left' no_probe_left
check 'no tracer of ours is left' gone

# ---- processes that are there already ----

# ends_itself CLAIM SECONDS: the tracer in the background does, well, within the time
ends_itself()
{
	check "$1: it ends" eventually "$2" bash -c "! kill -0 $tracer 2>/dev/null || [ \"\$(ps -o stat= -p $tracer)\" = Z ]"
	kill -0 "$tracer" 2>/dev/null && [ "$(ps -o stat= -p "$tracer")" != Z ] && kill -TERM "$tracer"
	wait "$tracer"
	check "$1: well" [ $? = 0 ]
}

sleep 3 &
record_in_background p_ends -e exec -p $!
ends_itself 'the last process of -p ends' 20
check 'the last process of -p ends: says so' grep -q 'the traced process has ended' p_ends.log

sleep 600 &
one=$!
sleep 600 &
two=$!
pids+=("$one" "$two")
record_in_background p_two -e exec -p "$one,$two"
kill "$one"
sleep 2.5
check '-p with two processes: the end of the first is not the end' kill -0 "$tracer"
kill "$two"
ends_itself '-p with two processes' 20
check '-p with two processes: says so' grep -q 'the traced processes have ended' p_two.log

bash -c 'until [ -e go ]; do sleep 0.1; done; (sleep 3; exec dd if=/dev/zero of=late bs=1k count=3 2>/dev/null) & exit' &
record_in_background p_child -e fs,exec -p $!
touch go
ends_itself 'a child outlives the process of -p' 30
check 'a child outlives the process of -p: its rows are there' \
	[ "$(cells p_child fs operation,filename | grep -cP "WRITE\t$tmp/late$")" = 3 ]

cp "$(command -v sleep)" odd_sleeper
./odd_sleeper 600 &
one=$!
./odd_sleeper 600 &
two=$!
pids+=("$one" "$two")
# each has the shell's name until it is another program
eventually 20 sh -c 'for pid; do [ "$(cat "/proc/$pid/comm")" = odd_sleeper ] || exit 1; done' - "$one" "$two"
record_in_background p_name -e exec -p odd_sleeper
kill "$one" "$two"
ends_itself '-p with a name' 20
cells p_name exec event_type,pid | sort >rows
check '-p with a name: all processes of it' diff rows <(printf 'EXIT\t%s\n' "$one" "$two" | sort)
"$IOTRACER" record -o none -p no-such-program >none.log 2>&1
check '-p with a name that no process has: wrong usage' [ $? = 2 ]
check '-p with a name that no process has: says what --comm is for' grep -q "no process 'no-such-program' (--comm" none.log
