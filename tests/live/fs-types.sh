#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scope by type of file system: a program writes to two of them and reads a
# pseudo one; rows of those asked for are all there, and none of the others.
. "$(dirname "$0")/../lib-live.sh"

command -v findmnt >/dev/null || skip_all 'findmnt is missing'
base=$(findmnt -n -o FSTYPE -T "$tmp")
other=tmpfs
[ "$base" != tmpfs ] || other=ramfs
grep -qw "$base" /proc/filesystems || skip_all "$tmp is on $base, which /proc/filesystems has not"
mkdir mem late
mount -t $other none mem || skip_all 'nothing can be mounted here'
undo()
{
	umount -l "$tmp/mem" "$tmp/late" 2>/dev/null
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
refused nothing --fs-type $other --exclude-fs-type $other
refused name --fs-type ,
