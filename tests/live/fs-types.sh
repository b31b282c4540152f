#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scope by type of file system: a program writes to two of them and reads a
# pseudo one; rows of those asked for are all there, and none of the others.
. "$(dirname "$0")/lib.sh"

command -v findmnt >/dev/null || skip_all 'findmnt is missing'
base=$(findmnt -n -o FSTYPE -T "$tmp")
other=tmpfs
[ "$base" != tmpfs ] || other=ramfs
grep -qw "$base" /proc/filesystems || skip_all "$tmp is on $base, which /proc/filesystems has not"
mkdir mem late
mount -t $other none mem || skip_all 'nothing can be mounted here'
undo()
{
	umount -l "$tmp/mem" "$tmp/late" "$tmp/fuse" 2>/dev/null
}

cat >work <<END
dd if=/dev/zero of=$tmp/disk count=3
dd if=/dev/zero of=$tmp/mem/file count=5
cat /proc/version
cat $tmp/disk.none $tmp/mem/none /proc/none
END

# Numbers of rows on: $tmp itself, what is mounted below, /proc; and of failed opens there
counts()
{
	cells "$1" fs operation,filename,return_value | awk -F'\t' -v tmp="$tmp" '
		{ on = 0 }
		index($2, tmp "/disk") == 1 { on = 1 }
		index($2, tmp "/mem/") == 1 { on = 2 }
		$2 == "/proc/version" || $2 == "/proc/none" { on = 3 }
		on && $1 == "OPEN" && $3 < 0 { failed[on]++ }
		on && ($1 == "WRITE" || on == 3 && $1 == "READ" && $3 > 0) { done[on]++ }
		END { for (i = 1; i <= 3; i++) printf "%d/%d ", done[i], failed[i] }'
}

# scope EXPECTED OPTION...
scope()
{
	local expected=$1 dir=s$((++n)) got

	shift
	record $dir -e fs "$@" -- sh work >/dev/null 2>&1
	got=$(counts $dir)
	check "${*:-no option} ($expected: $got)" [ "$got" = "$expected " ]
}

scope '3/1 5/1 0/0'
scope '3/1 0/0 0/0' --fs-type $base
scope '0/0 5/1 0/0' --fs-type $other
scope '3/1 5/1 0/0' --fs-type $base,$other
scope '3/1 5/1 0/0' --fs-type $base --fs-type $other
scope '0/0 0/0 1/1' --fs-type proc
scope '0/0 5/1 1/1' --fs-type proc,$other
scope '3/1 0/0 0/0' --exclude-fs-type $other
scope '0/0 5/1 0/0' --exclude-fs-type $base
scope '0/0 0/0 0/0' --exclude-fs-type $base,$other
scope '3/1 5/1 1/1' --all-fs
scope '3/1 5/1 0/0' --all-fs --exclude-fs-type proc
scope '3/1 0/0 1/1' --all-fs --exclude-fs-type $other
scope '3/1 0/0 0/0' --fs-type $base,$other --exclude-fs-type $other
scope '0/0 0/0 0/0' --fs-type sysfs

# mounted where the tracer does not see it, by a program that is there to be asked
if unshare -m true 2>/dev/null; then
	cat >apart <<-END
		mount --make-rprivate /
		mount -t $other none $tmp/late
		exec 3>$tmp/late/file 4>$tmp/disk
		for i in 1 2 3 4 5 6 7; do echo >&3; done
		for i in 1 2 3; do echo >&4; done
		sleep 0.5
	END
	for how in --fs-type --exclude-fs-type; do
		record apart$how -e fs $how $other -- unshare -m sh apart
		got=$(cells apart$how fs operation,size,filename | grep -P '^WRITE\t1\t' | cut -f3 | sort | uniq -c |
			awk -v tmp="$tmp/" '{ sub(tmp, "", $2); printf "%s %s", $1, $2 }')
		check "$how in a namespace of its own ($got)" \
			[ "$got" = "$([ $how = --fs-type ] && echo 7 late/file || echo 3 disk)" ]
	done
else
	skip 'unshare -m is not allowed'
fi

# mounted while it records
cp "$(command -v dd)" odd_dd
record_in_background late_s -e fs -c odd_dd --fs-type $other
mount -t $other none late
./odd_dd if=/dev/zero of="$tmp/late/file" count=11 status=none
./odd_dd if=/dev/zero of="$tmp/disk" count=3 status=none
sleep 0.5
end_tracer
check 'mounted while it records' \
	[ "$(cells late_s fs operation,filename | grep '^WRITE' | sort | uniq -c | tr -s ' \t' ' ')" = " 11 WRITE $tmp/late/file" ]

# refused WORD OPTION...: status 2, one message that has the word
refused()
{
	local word=$1

	shift
	"$IOTRACER" record -o session "$@" -- true 2>said
	check "$*: refused" [ $? = 2 -a ! -e session ]
	check "$*: one message ($(cut -c1-80 said))" one_message said
	check "$*: says $word" grep -q -- "$word" said
}

refused no-such-fs --fs-type no-such-fs
refused $base --exclude-fs-type tmpfs,no-such-fs
refused "every type" --fs-type $other --exclude-fs-type $other
refused name --fs-type ,

# A file system whose server is a program: what is done in it are rows of who did
# it, once, and what the server does below are its own. It serves an image that
# lies on $base, and is called fuse.ext4.
fuse_is_mounted()
{
	grep -q " $tmp/fuse .* - fuse" /proc/self/mountinfo
}

serve()
{
	mkdir fuse
	truncate -s 4M image
	mke2fs -q -t ext2 image || return
	fuse2fs -f "$tmp/image" "$tmp/fuse" >server.log 2>&1 &
	server=$!
	pids+=("$server")
	eventually 10 fuse_is_mounted
}

# What is done in it by a process that waits to be told
cat >client <<END
read -r _
dd if=/dev/zero of=$tmp/fuse/file count=7 conv=fsync
cat $tmp/fuse/none
dd if=$tmp/fuse/file of=/dev/null count=5
mkdir $tmp/fuse/dir
unlink $tmp/fuse/file
rmdir $tmp/fuse/dir
END

client_rows()
{
	local i

	printf 'OPEN file 0  fd\n'
	for ((i = 0; i < 7; i++)); do echo "WRITE file 512 $((i * 512)) 512"; done
	printf '%s file 0  0\n' FSYNC CLOSE
	printf 'OPEN none 0  -2\n'
	printf 'OPEN file 0  fd\n'
	for ((i = 0; i < 5; i++)); do echo "READ file 512 $((i * 512)) 512"; done
	printf '%s 0  0\n' 'CLOSE file' 'MKDIR dir/' 'UNLINK file' 'RMDIR dir/'
}

# Rows of names below fuse; what programs only ask is left out
rows_in_fuse()
{
	cells "$1" fs operation,filename,size,offset,return_value | awk -F'\t' -v top="$tmp/fuse/" '
		index($2, top) == 1 && $1 != "GETATTR" {
			print $1, substr($2, length(top) + 1), $3, $4, $1 == "OPEN" && $5 >= 0 ? "fd" : $5
		}'
}

# All that the server does is done to the image, and by nobody else; what it wrote can hold the file.
rows_of_server()
{
	cells "$1" fs pid,operation,filename,size | awk -F'\t' -v server="$server" -v image="$tmp/image" '
		($1 == server) != ($3 == image) { strange++ }
		$1 == server { rows++; synced += $2 == "FSYNC" }
		$1 == server && $2 == "WRITE" { bytes += $4 }
		END {
			if (strange) print strange, "strange"
			else if (!rows) print "none"
			else print bytes >= 7 * 512 && synced ? "all" : "some"
		}'
}

# served ROWS_OF_CLIENT ROWS_OF_SERVER OPTION...: all or none of each
served()
{
	local want_client=$1 want_server=$2 dir=f$((++n)) client how

	shift 2
	how="${*:-no option}"
	exec 3> >(exec sh client >/dev/null 2>&1)
	client=$!
	record_in_background $dir -e fs "$@" -p "$server,$client" || fail "fuse: $how: recorded"
	echo >&3
	exec 3>&-
	wait "$client"
	end_tracer
	rows_in_fuse $dir >$dir.client
	if [ "$want_client" = all ]; then client_rows; fi >$dir.wanted
	check "fuse: $how: $want_client of the client's rows" diff $dir.wanted $dir.client
	check "fuse: $how: $want_server of the server's rows" [ "$(rows_of_server $dir)" = "$want_server" ]
}

if [ ! -c /dev/fuse ]; then
	skip 'fuse: no /dev/fuse here'
elif ! command -v fuse2fs >/dev/null || ! command -v mke2fs >/dev/null; then
	skip 'fuse: fuse2fs or mke2fs is not installed'
elif ! serve; then
	skip "fuse: nothing can be served here: $(tail -1 server.log)"
else
	served all all
	served all none --fs-type fuse
	served none all --exclude-fs-type fuse
	served none all --fs-type "$base"
	served all none --exclude-fs-type "$base"
	served all all --fs-type "fuse,$base"
	refused fuse.ext4 --fs-type fuse.ext4
	umount fuse
fi
