#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Containers by their control groups, as Docker and LXC make them, and by Docker's files: who is in which, when a process is
# moved and when it ends at once; filters, sums, tokens. tests/live/containers-runtimes.sh has containers that run.
if [ -z "${LIVE_OWN_MOUNTS:-}" ]; then
	LIVE_OWN_MOUNTS=1 exec unshare -m bash "$0"
fi
. "$(dirname "$0")/lib.sh"

mount --make-rprivate /
mkdir -p data/docker/containers
mount --bind data /var/lib || skip_all 'nothing can be mounted'
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789$(printf '%06x' $$)
mkdir "data/docker/containers/$id"
echo '{"Name":"/we,b","Config":{"Image":"nginx:1"}}' >"data/docker/containers/$id/config.v2.json"
for dir in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/memory /sys/fs/cgroup/pids; do
	[ ! -e "$dir/cgroup.procs" ] || { groups=$dir; break; }
done
docker=$groups/docker/$id lxc=$groups/lxc.payload.live$$
undo()
{
	umount "$tmp/bound" 2>/dev/null
	rmdir "$docker/below" "$docker" "$lxc" 2>/dev/null
	rmdir "$groups/docker" 2>/dev/null
}
mkdir -p "${docker:-/nowhere}/below" "$lxc" 2>/dev/null && (echo "$BASHPID" >"$docker/cgroup.procs") 2>/dev/null ||
	skip_all 'no control group can be made here'

# in a group: 13 writes by a program, 3 by a child of it; outside: 5
cat >work.sh <<'END'
dd if=/dev/zero of=outside bs=512 count=5 2>/dev/null
(
	echo "$BASHPID" >"$1/cgroup.procs"
	dd if=/dev/zero of=inside bs=512 count=13 2>/dev/null
	sh -c 'dd if=/dev/zero of=child bs=512 count=3 2>/dev/null; :'
	echo "$BASHPID" >"$1/below/cgroup.procs"
	/bin/true
)
(
	echo "$BASHPID" >"$2/cgroup.procs"
	exec dd if=/dev/zero of=other bs=512 count=7 2>/dev/null
)
END
check 'recorded' record s -e fs,exec -- bash work.sh "$docker" "$lxc"
cells s exec event_type,command,filename,container >rows
cat rows
check 'who is moved' [ "$(grep -cP "^GROUP\tbash\t.*(docker/$id|docker/$id/below)\twe,b$" rows)" = 2 ]
check 'to another one' [ "$(grep -cP "^GROUP\tbash\t.*/lxc.payload.live$$\tlive$$" rows)" = 1 ]
check 'programs in it' [ "$(grep -cP '^EXEC\t.*(dd|sh|true)\twe,b$' rows)" = 4 ]
check 'one that is in none' [ "$(grep -cP '^EXEC\tdd\t.*dd\t$' rows)" = 1 ]
check 'processes that begin in it' [ "$(grep -cP '^FORK\t.*\twe,b$' rows)" = 3 ]
check 'and end in it' [ "$(grep -cP '^EXIT\t.*\twe,b$' rows)" = 4 ]
check 'nothing was lost' no_loss s exec

# by COLUMN [OPTION]...: "NAME N", by the number of writes
by()
{
	local column=$1

	shift
	"$IOTRACER" files s -q --csv --sort writes --path "$tmp/*" "$@" | column "$column,writes" | grep -v ' 0$' | paste -sd' '
}
check 'files by container' [ "$(by container --by container)" = "we,b 16 live$$ 7 (host) 5" ]
check 'files of one' [ "$(by filename --container "live$$")" = "$tmp/other 7" ]
check 'files of none' [ "$(by filename --container '(host)')" = "$tmp/outside 5" ]
check 'files and containers' [ "$("$IOTRACER" files s -q --csv --by file,container --path "$tmp/inside" | column container,filename)" = "we,b $tmp/inside" ]
check 'amp by container' [ "$("$IOTRACER" amp s -q --csv --by container | column container,sys_writes "container=live$$")" = "live$$ 7" ]
check 'why by container' [ "$("$IOTRACER" why s -q --csv --by container --path "$tmp/*" | column container | sort | paste -sd' ')" = "(host) live$$ we,b" ]
check 'report of one' [ "$("$IOTRACER" report s -q --section programs --container "live$$" --csv | column command | sort -u | paste -sd' ')" = dd ]
check 'report by container' [ "$("$IOTRACER" report s -q --section containers --csv | column container | sort | paste -sd' ')" = "(host) live$$ we,b" ]
check 'no such container' grep -q 'none of .* rows matches --container nobody' <("$IOTRACER" files s --container nobody 2>&1)
check 'timeline of one' "$IOTRACER" timeline s -q -o one.svg --container "live$$"
"$IOTRACER" timeline s -q -o all.pftrace
check 'whose processes have its name' grep -qaE "(bash|dd) \[live$$\]" all.pftrace
check 'others not' [ "$(grep -aoE '[a-z]+ \[[^]]*\]' all.pftrace | cut -d' ' -f2 | sort -u | paste -sd' ')" = "[live$$] [we,b]" ]

# one that runs, by its name
# shellcheck disable=SC2016
(
	echo "$BASHPID" >"$docker/cgroup.procs"
	exec bash -c 'until [ -e stop ]; do dd if=/dev/zero of=running bs=512 count=2 2>/dev/null; done'
) &
pids+=($!)
until_running() { grep -qx "${pids[0]}" "$docker/cgroup.procs"; }
eventually 10 until_running
check 'recorded: one container' record one -e fs -d 1 --container we,b
check 'its calls' [ "$(cells one fs operation,filename | grep -cP "^WRITE\t$tmp/running$")" -gt 1 ]
check 'no others' bash -c '! "$0" cut one fs command | grep -vx "dd\|bash"' "$reader"
check 'by its id' record by_id -e fs --container "$id" -- true
record none -e fs -d 1 --container nobody
check 'one that does not run is refused' [ $? = 2 ]
check 'and those that do are named' grep -q "no container 'nobody' is running; there are .*we,b" none.log
"$IOTRACER" snapshot -o snap process >snap.log 2>&1
cells snap process pid,container_id,container,pod,image | grep -P "^${pids[0]}\t" >rows
check 'in a snapshot' [ "$(cat rows)" = "${pids[0]}	$id	we,b		nginx:1" ]
touch stop
wait "${pids[0]}"

# where its files are on the host: an overlay with a directory of another file system in it
mkdir lower upper work merged lower/old lower/data bound
mount -t tmpfs tmpfs bound && mkdir bound/deep
mkfifo go
cat >inside.sh <<'END'
exec 5<>go
mount -t overlay overlay -o "lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work" merged &&
	mount --bind bound/deep merged/data && cd merged && pivot_root . old || exit
: >/last
: >/data/bound
read -ru5 _
END
are_known() { grep -q '"inside": *"/data"' over/manifest.json; }
# not every file system can be the upper one
if ! unshare -m mount -t overlay overlay -o "lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work" merged 2>/dev/null; then
	skip 'there is no overlay'
# the manifest is written every 30 s for such things, or more seldom where writing it takes over a second
elif record_in_background over -e fs -- unshare -m bash inside.sh && eventually 120 are_known; then
	echo >go
	wait "$tracer"
	"$IOTRACER" files over -q --csv --host-paths --path '/last' | column host_path,filename >rows
	"$IOTRACER" files over -q --csv --host-paths --path '/data/bound' | column host_path,filename >>rows
	check 'in the upper directory of an overlay, and in one that is mounted' \
		diff rows <(printf '%s\n' "$tmp/upper/last /last" "$tmp/bound/deep/bound /data/bound")
else
	kill "$tracer" 2>/dev/null
	check 'mounts of another namespace are in the manifest' false
fi

# tokens in place of names
check 'recorded: tokens' record anon -a --anon-key "$tmp/key" -e fs,exec -- bash work.sh "$docker" "$lxc"
check 'a container is a token' [ "$("$IOTRACER" files anon -q --csv --by container | column container | grep -cE "^[0-9a-f]+$")" = 2 ]
check 'no name is left' bash -c "! grep -rqE 'we,b|live$$|nginx|$id' anon"
