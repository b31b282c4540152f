#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who is traced: a running process, a name, a user; children with them; never
# the tracer.
# shellcheck disable=SC2016,SC2119 # for another shell; a signal may be given
. "$(dirname "$0")/lib.sh"

writer()
{
	# until it is killed: a write to its own file about every 50 ms
	exec 9>>"$1"
	for ((;;)); do
		echo "$1" >&9
		echo child | cat >"$1.child"
		sleep 0.05
	done
}

writer "$tmp/one" &
one=$!
writer "$tmp/two" &
two=$!
pids+=("$one" "$two")

record_in_background p -e fs,exec -p "$one" -d 2
wait "$tracer"
check '-p with -d ends well' [ $? = 0 ]
cells p fs pid,operation,filename,path_status,flags >rows
check '-p: the running process is there' grep -qP "^$one\tWRITE\t$tmp/one\t" rows
check '-p: what it opened before has its flags' grep -qP "^$one\tWRITE\t$tmp/one\t.*O_APPEND" rows
check '-p: its children, too' grep -qP "\tWRITE\t$tmp/one.child\t" rows
check '-p: the other process is not' bash -c "! grep -q '$tmp/two' rows"
check '-p: children begin with a FORK' bash -c "cut -f1 rows | sort -u | grep -vx $one | while read -r pid; do
	'$reader' cut p exec event_type,pid | grep -qP \"^FORK\t\$pid\$\" || exit 1; done"

# one thread of a process, as ps -eLf and top -H show it
python3 "$tests_dir/readers/loads.py" named_thread >thread &
process=$!
pids+=("$process")
eventually 20 test -s thread
record_in_background thread_of -e fs -p "$(cat thread)" -d 1
wait "$tracer"
check '-p of a thread: its process is named' grep -q "is a thread of process $process" thread_of.log
check '-p of a thread: the process is recorded' \
	grep -qP "^$process\tWRITE\t$tmp/of_thread$" <(cells thread_of fs pid,operation,filename)

cp "$(command -v dd)" odd_name
record_in_background c -e fs -c odd_name
dd if=/dev/zero of=plain count=3 2>/dev/null
./odd_name if=/dev/zero of="$tmp/odd" count=5 2>/dev/null
sleep 0.5
end_tracer
only_odd()
{
	cells c fs command,operation,filename,pid,tid,mono_ns | grep -v ^odd_name
	[ "$(cells c fs command | sort -u)" = odd_name ]
}
check '-c: only threads of this name' only_odd
check '-c: all of their writes' [ "$(cells c fs operation,filename | grep -cP "WRITE\t$tmp/odd$")" = 5 ]

mkdir -m 777 open
record_in_background u -e fs -u 65534
setpriv --reuid 65534 --clear-groups dd if=/dev/zero of="$tmp/open/u" count=7 2>/dev/null
dd if=/dev/zero of="$tmp/open/root" count=7 2>/dev/null
sleep 0.5
end_tracer
check '-u: that user' [ "$(cells u fs operation,filename | grep -cP "WRITE\t$tmp/open/u$")" = 7 ]
check '-u: no other' bash -c "! '$reader' cut u fs filename | grep -q open/root"

# ---- a command that becomes another user, or has another name, is followed to there ----

echo content >mode644
chmod 644 mode644
as_nobody='setpriv --reuid 65534 --clear-groups'
! command -v runuser >/dev/null || as_nobody='runuser -u nobody --'
# shellcheck disable=SC2086 # words
record became -e fs,exec -u nobody -- $as_nobody cat "$tmp/mode644" >/dev/null
check '-u with a command that becomes this user: its file' \
	[ "$(cells became fs operation,filename,path_status | grep -cP "^(OPEN|CLOSE)\t$tmp/mode644\t")" = 2 ]
check '-u with a command that becomes this user: its program' grep -qP '^EXEC\tcat$' <(cells became exec event_type,command)
check '-u with a command that becomes this user: not what root did' \
	bash -c "! '$reader' cut became fs command,filename | grep -P '^(runuser|setpriv)\t.*ld.so.cache'"
check '-u with a command that becomes this user: nothing is lost' [ ! -d became/lost ]

# relative to a directory, on a descriptor and with a position that root has left behind
cat >steps.py <<END
import os, sys
os.chdir("$tmp/open")
fd = os.open("$tmp/mode644", os.O_RDONLY)
os.read(fd, 3)
os.setuid(65534)
os.read(fd, 2)
os.close(os.open("relative", os.O_CREAT | os.O_WRONLY))
os.close(fd)
END
if command -v python3 >/dev/null; then
	record steps -e fs -u nobody -- python3 -S -E steps.py
	check '-u: the directory, the file and the position are those that root left' \
		diff <(cells steps fs operation,filename,offset,size | grep -P "open/relative|mode644") - <<-END
		READ	$tmp/mode644	3	2
		OPEN	$tmp/open/relative		0
		CLOSE	$tmp/open/relative		0
		CLOSE	$tmp/mode644		0
	END
fi
record named -e fs -c cat -- sh -c 'cat "$1" >/dev/null; dd if="$1" of=/dev/null 2>/dev/null' - "$tmp/mode644"
check '-c with a command that starts this one: its rows alone' \
	[ "$(cells named fs command,operation,filename | grep -P "\tOPEN\t$tmp/mode644" | cut -f1)" = cat ]

# ---- rows: by operation, path, result and latency ----

cat >work <<'END'
dd if=/dev/zero of=w1 bs=1k count=3 conv=fsync 2>/dev/null
dd if=/dev/zero of=w2.db bs=1k count=4 conv=fsync 2>/dev/null
cat missing1 missing2 2>/dev/null
rm -f w1.old
mv w1 w1.old
END
rows_of()
{
	cells "$1" fs operation,filename,return_value
}

record all -e fs -- bash work
record op -e fs --operation write,FSYNC -- bash work
check '--operation: no other' [ "$(cells op fs operation | sort -u | tr '\n' ' ')" = 'FSYNC WRITE ' ]
check '--operation: all of these' \
	diff <(rows_of all | grep -P '^(WRITE|FSYNC)\t.*/w[12]') <(rows_of op | grep -P '/w[12]')
check '--operation: what it leaves out is no loss' [ ! -d op/lost ]
check '--operation: positions are right all the same' \
	diff <(cells op fs operation,filename,offset | grep -P '/w2') - <<-END
	WRITE	$tmp/w2.db	0
	WRITE	$tmp/w2.db	1024
	WRITE	$tmp/w2.db	2048
	WRITE	$tmp/w2.db	3072
	FSYNC	$tmp/w2.db	
END
record dio -e fs --operation close -- bash work
check '--operation CLOSE: the names are there' \
	[ "$(rows_of dio | grep -cP "^CLOSE\t$tmp/w(1|2.db)\t")" = 2 ]

record err -e fs --errors -- bash work
check '--errors: failed operations alone' bash -c "! '$reader' cut err fs return_value | grep -v ^-"
check '--errors: all of them' \
	[ "$(rows_of err | grep -cP "^OPEN\t$tmp/missing[12]\t-2$")" = 2 ]
check '--errors: what it leaves out is no loss' [ ! -d err/lost ]

record glob -e fs --path '*.db' --path "$tmp/w1.old" -- bash work
check '--path: such files alone' \
	[ "$(cells glob fs filename | sed 's/.* -> //' | sort -u)" = "$(printf '%s\n' "$tmp/w1.old" "$tmp/w2.db")" ]
check '--path: all of their rows' diff <(rows_of all | grep -F w2.db) <(rows_of glob | grep -F w2.db)

# However a file is named: what rows have is told
mkdir -p real/data
ln -s real/data current
echo x >real/data/f
for name in "$tmp/current" current/ ./real//data "$tmp/real/./data/../data/f" "$PWD/curr*/f" "real/da*"; do
	record named_so -e fs --path "$name" -- sh -c 'read a <current/f'
	check "--path $name: the file" grep -qx "$tmp/real/data/f" <(cells named_so fs filename)
done
check '--path through a link: it is said' bash -c '"$1" record --no-snapshots -e fs --path "$2/current" -o said_so -- true 2>&1 |
	grep -qx "iotracer: --path $2/current: $2/real/data"' - "$IOTRACER" "$tmp"

if record slow -e fs,nw_epoll --min-latency 150ms -- bash -c '
	cat "$1" >/dev/null
	exec 8<>fifo
	python3 "$2" poll 200 10 2>/dev/null || exit 77' - "$tmp/mode644" "$tests_dir/readers/loads.py"; then
	check '--min-latency: what took as long' [ "$(cells slow nw_epoll event_type | grep -c POLL)" = 1 ]
	check '--min-latency: no quick one' [ -z "$(cells slow fs filename | grep mode644)" ]
fi
check '--min-latency: what it leaves out is no loss' [ ! -d slow/lost ]

record both -e fs --operation OPEN,WRITE --errors --path "$tmp" --not-comm sh -- \
	bash -c 'bash work; sh -c "cat <missing3"; exit 0' 2>/dev/null
check 'filters are combined' \
	[ "$(rows_of both)" = "$(printf 'OPEN\t%s\t-2\n' "$tmp/missing1" "$tmp/missing2")" ]
check 'the manifest has them' grep -q '"errors": true' both/manifest.json
check 'the manifest has their names' bash -c "tr -d ' \n' <both/manifest.json |
	grep -qF '\"operation\":[\"OPEN\",\"WRITE\"]'"

record not -e fs --not-comm cat -- sh -c 'cat "$1" >/dev/null; dd if="$1" of=/dev/null 2>/dev/null' - "$tmp/mode644"
check '--not-comm: no such thread' [ -z "$(cells not fs command | grep -x cat)" ]
check '--not-comm: the others' [ "$(cells not fs command,operation,filename | grep -cP "^dd\tOPEN\t$tmp/mode644")" = 1 ]

record names -e fs,cache --operation HIT,MISS -- cat "$tmp/mode644" >/dev/null
check 'rows that know inodes have names without rows of fs' \
	bash -c "[ ! -d names/cache ] || '$reader' cut names cache filename | grep -qx '$tmp/mode644'"
check 'and there are no rows of fs' [ "$(n_rows names fs)" = 0 ]

# ---- a control group ----

group=
for dir in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/memory /sys/fs/cgroup/pids; do
	[ -e "$dir/cgroup.procs" ] && mkdir "$dir/iotracer-live" 2>/dev/null && group=$dir/iotracer-live && break
done
undo()
{
	[ -z "$group" ] || rmdir "$group/below" "$group" 2>/dev/null
}
check 'recorded by latency, calls and requests' record apart -e fs,ds --min-latency 1us -- dd if=/dev/zero of=slow.out bs=4k count=9 conv=fsync status=none
check 'no factor is made of them' grep -q 'amplification: not known' <("$IOTRACER" report apart -q)
check 'which amp says, too' grep -q 'factors may be wrong' <("$IOTRACER" amp apart -q)

if [ -n "$group" ] && mkdir "$group/below" && (echo "$BASHPID" >"$group/cgroup.procs") 2>/dev/null; then
	dd_in()
	{
		(
			[ -z "$1" ] || echo "$BASHPID" >"$1/cgroup.procs"
			until [ -e "$tmp/go" ]; do sleep 0.1; done
			dd if=/dev/zero of="$2" bs=1k count=3 2>/dev/null
		) &
	}
	dd_in "$group" "$tmp/in_group"
	dd_in '' "$tmp/outside"
	record_in_background group -e fs --cgroup "$group"
	dd_in "$group/below" "$tmp/in_below"
	sleep 2.5 # in a group of version 1 it is found by then
	touch go
	eventually 20 test -s in_group
	eventually 20 test -s in_below
	eventually 20 test -s outside
	sleep 0.5
	end_tracer
	cells group fs operation,filename >rows
	check '--cgroup: a process of it' [ "$(grep -cP "^WRITE\t$tmp/in_group$" rows)" = 3 ]
	check '--cgroup: one that came later, below' [ "$(grep -cP "^WRITE\t$tmp/in_below$" rows)" = 3 ]
	check '--cgroup: no other' bash -c "! grep -q '$tmp/outside' rows"
	record_in_background by_name -e fs -d 1 --cgroup iotracer-live
	wait "$tracer"
	check '--cgroup: by its name' [ $? = 0 ]
else
	skip '--cgroup: no control group can be made here'
fi

# by name, so that not everything on the machine is traced: the tracer would be in it
record_in_background self -e fs,exec -c iotracer,iotracer-bcc,dd
self=$tracer
dd if=/dev/zero of="$tmp/all.out" count=3 2>/dev/null
sleep 1
end_tracer
check 'what has one of these names is there' grep -qx "$tmp/all.out" <(cells self fs filename)
check 'the tracer is not in its own trace' \
	[ -z "$(cells self fs pid | grep -x "$self"; cells self exec pid | grep -x "$self")" ]
