#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who is traced: a running process, a name, a user; children with them; never
# the tracer.
. "$(dirname "$0")/../lib-live.sh"

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

cp "$(command -v dd)" odd_name
record_in_background c -e fs -c odd_name
dd if=/dev/zero of=plain count=3 2>/dev/null
./odd_name if=/dev/zero of="$tmp/odd" count=5 2>/dev/null
sleep 0.5
end_tracer
check '-c: only threads of this name' [ "$(cells c fs command | sort -u)" = odd_name ]
check '-c: all of their writes' [ "$(cells c fs operation,filename | grep -cP "WRITE\t$tmp/odd$")" = 5 ]

mkdir -m 777 open
record_in_background u -e fs -u 65534
setpriv --reuid 65534 --clear-groups dd if=/dev/zero of="$tmp/open/u" count=7 2>/dev/null
dd if=/dev/zero of="$tmp/open/root" count=7 2>/dev/null
sleep 0.5
end_tracer
check '-u: that user' [ "$(cells u fs operation,filename | grep -cP "WRITE\t$tmp/open/u$")" = 7 ]
check '-u: no other' bash -c "! '$reader' cut u fs filename | grep -q open/root"

# by name, so that not everything on the machine is traced: the tracer would be in it
record_in_background self -e fs,exec -c iotracer,iotracer-bcc,dd
self=$tracer
dd if=/dev/zero of="$tmp/all.out" count=3 2>/dev/null
sleep 1
end_tracer
check 'what has one of these names is there' grep -qx "$tmp/all.out" <(cells self fs filename)
check 'the tracer is not in its own trace' \
	[ -z "$(cells self fs pid | grep -x "$self"; cells self exec pid | grep -x "$self")" ]
