#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream exec: a tree of processes with its command lines and ends; the
# command's children are followed, and the command's exit status is ours.
. "$(dirname "$0")/lib.sh"

cat >tree <<'END'
/bin/true
(exit 3)
sh -c 'exit 7' 'two words' '' plain
sh -c 'kill -TERM $$'
sh -c 'kill -KILL $$'
nice -n 1 /bin/cat /dev/null
/nowhere/program
exit 5
END
record s -e exec -- bash tree 2>/dev/null
check 'exit status of the command' [ $? = 5 ]
cells s exec event_type,pid,ppid,command,filename,cmdline,return_value,mono_ns >rows
top=$(awk -F'\t' '$1 == "EXEC" && $6 == "bash tree" { print $2; exit }' rows)
check 'EXEC of the command itself' [ -n "$top" ]
check 'each FORK names parent and child' \
	awk -F'\t' '$1 == "FORK" { n++; if ($2 != $7 || $3 == "" || $2 == $3) exit 1 } END { exit n < 6 }' rows
check 'each child ends once' bash -c "
	diff <(awk -F'\t' '\$1 == \"FORK\" { print \$2 }' rows | sort) \
		<(awk -F'\t' -v top=$top '\$1 == \"EXIT\" && \$2 != top { print \$2 }' rows | sort)"
check 'the command ends last, with its status' bash -c "
	[ \"\$(tail -1 rows | cut -f1,2,7)\" = \"EXIT	$top	1280\" ]"

# status WORD COMMANDLINE: wait status of the process that executed it
status_is()
{
	local pid

	pid=$(awk -F'\t' -v c="$2" '$1 == "EXEC" && $6 == c && $7 == 0 { print $2 }' rows)
	[ -n "$pid" ] && [ "$(awk -F'\t' -v p="$pid" '$1 == "EXIT" && $2 == p { print $7 }' rows)" = "$1" ]
}

check 'a program without arguments' status_is 0 /bin/true
check 'arguments with blanks and empty ones' status_is 1792 "sh -c 'exit 7' 'two words' '' plain"
check 'an executed program that executes another' \
	[ "$(awk -F'\t' '$6 == "/bin/cat /dev/null" && $7 == 0' rows | wc -l)" = 1 ]
if [ "$LIVE_TIER" = c ]; then
	check 'a failed exec is a row' awk -F'\t' '$1 == "EXEC" && $5 == "/nowhere/program" && $7 == -2 { n++ }
		END { exit n != 1 }' rows
else
	skip 'a failed exec is a row: in tier c only'
fi
if [ "$LIVE_TIER" = c ]; then
	skip 'statuses of killed processes: tracepoints without headers do not tell'
	check 'a killed process has no invented status' status_is '' "sh -c 'kill -KILL \$\$'"
else
	check 'killed by SIGTERM' status_is 15 "sh -c 'kill -TERM \$\$'"
	check 'killed by SIGKILL' status_is 9 "sh -c 'kill -KILL \$\$'"
fi
check 'times do not go back' awk -F'\t' '$8 < last { exit 1 } { last = $8 }' rows

record k -e exec -- sh -c 'kill -KILL $$'
check 'a command killed by SIGKILL is 137' [ $? = 137 ]
record n -e exec -- no-such-program
check 'a command that is not there is 127' [ $? = 127 ]
check 'and is named' grep -q no-such-program n.log
record x -e exec -- /etc/passwd
check 'a command that is no program is 126' [ $? = 126 ]

tasks=$(program conform_tasks) || tasks=
if [ -z "$tasks" ]; then
	skip 'conform_tasks is not built and cannot be'
else
	record e -e exec -- "$tasks" execs
	cells e exec event_type,filename,cmdline,return_value | grep -P '^EXEC\t' >execs
	# what the kernel copies meanwhile is read behind it, where it has an event there
	if [ "$LIVE_TIER" != c ] || [ -d /sys/kernel/tracing/events/sched/sched_prepare_exec ]; then
		check 'arguments that were not mapped when the call began' grep -qxP '.*\t/bin/true\ttrue by fork\t0' execs
	else
		check 'arguments that were not mapped are whole or none' grep -qxP '.*\t/bin/true\t(true by fork)?\t0' execs
	fi
	[ "$LIVE_TIER" != c ] || check 'nor was the name of a failed exec' grep -qP '\t/no/such/program\t(no program)?\t-2$' execs

	mkfifo go
	"$tasks" leader "$tmp/kept" <go &
	led=$!
	exec 9>go
	eventually 10 grep -qs '^State:.Z' "/proc/$led/status"
	record_in_background l -e fs -p "$led"
	check 'a process whose first thread has ended is traced' [ $? = 0 ]
	echo >&9
	exec 9>&-
	wait "$tracer"
	check 'its descriptors and its directory are those of the others' \
		diff <(printf '%s\n' "OPEN	$tmp/rel" "WRITE	$tmp/kept" "WRITE	$tmp/rel") \
		<(cells l fs operation,filename,path_status | grep -P '^(OPEN|WRITE)\t.*\tf' | cut -f1,2 | sort)
fi

# descriptors that were there before: one position for both, no close at the end
record h -q -e fs -- sh -c 'echo aaa >&5; echo bb >&6; echo c >&5' 5>before 6>&5
check 'duplicates from before share their position' \
	[ "$(cells h fs operation,size,offset,filename | awk -F'\t' -v f="$tmp/before" '$4 == f' | cut -f1-3 | tr '\t\n' '  ')" = \
		'WRITE 4 0 WRITE 3 4 WRITE 2 7 ' ]
record m -e fs -- sh -c 'echo one; exec 2>&-; echo two' >both 2>&1
check 'what is written to a file that the shell has open, too, is not closed' \
	[ -z "$(cells m fs operation,filename | grep -P "^CLOSE\t$tmp/both")" ]

# 32-bit programs: seen by kprobes; system-call tracepoints pass them over, and doctor says so
if ! old=$(program conform_32 -m32) || ! "$old" f32; then
	skip 'no 32-bit programs can be built or run here'
elif [ "$LIVE_TIER" = a ]; then
	record o -e fs -- "$old" "$tmp/f32"
	check 'a 32-bit program is seen' [ "$(cells o fs operation,size,filename | grep -P "^(OPEN|WRITE|CLOSE)\t.*\t$tmp/f32$" |
		cut -f1,2 | tr '\t\n' '  ')" = 'OPEN 0 WRITE 3 CLOSE 0 ' ]
else
	check 'doctor says that 32-bit programs are not seen' \
		grep -q '32-bit programs and calls that seccomp' <("$IOTRACER" doctor "${tier_options[@]}")
fi
