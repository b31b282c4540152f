#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer on a real kernel, in each tier: counts, offsets, bytes, and the rows
# that the conformance program expects. Images of tiers a and b are compiled on
# the host from this guest's facts (doctor --collect, build, record --image);
# on one kernel programs of tier c are compiled here, too.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

scratch=/mnt/ext4
options=()

# trace DIR [OPTION...] -- COMMAND: into a directory of the guest's own
trace()
{
	local dir=$1

	shift
	rm -rf "$dir"
	"$iotracer" record -v --no-snapshots -o "$dir" "${options[@]}" "$@"
}

lost()
{
	cells "$1" lost count 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

# 10,007 writes of dd: one row each at the right offset, one OPEN, one CLOSE
dd_rows()
{
	local dir=/tmp/dd.trace

	trace $dir -e fs -- dd if=/dev/zero of=$scratch/F bs=4096 count=10007 || return
	[ "$(lost $dir)" = 0 ] || return
	cells $dir fs operation,filename,size,offset,return_value |
		awk -F '\t' -v file=$scratch/F '
			$2 != file { next }
			$1 == "WRITE" { if ($3 != 4096 || $5 != 4096 || $4 != 4096 * n) bad++; n++; next }
			{ count[$1]++ }
			END { print n, bad + 0, count["OPEN"], count["CLOSE"]
			      exit !(n == 10007 && !bad && count["OPEN"] == 1 && count["CLOSE"] == 1) }'
}

direct_write()
{
	local dir=/tmp/ds.trace

	sync
	trace $dir -e ds -- dd if=/dev/zero of=$scratch/G bs=65536 count=61 oflag=direct || return
	cells $dir ds command,operation,size |
		awk -F '\t' '$1 == "dd" && $2 == "write" { n += $3 } END { print n; exit n != 61 * 65536 }'
}

# Every row of the program that states its own, on a file system in scope; cases go to /tmp/cases
conform_once()
{
	local dir=/tmp/conform.trace work=$scratch/conform

	rm -rf $work
	mkdir -p $work
	: >/tmp/cases
	trace $dir -e fs --extra-ops -- "$builddir/tests/conform/conform" "$1" $work >/tmp/expected || return
	"$builddir/tests/conform/conform_diff" diff $dir /tmp/expected $work >/tmp/cases
}

# Without kprobes the reader finds files in /proc while they are open, such as one that never had
# a name (O_TMPFILE); an emulated machine may keep it from being in time.
conform_again()
{
	local work=$scratch/again owed

	mapfile -t owed < <(failed_cases /tmp/cases)
	[ "$1" = c ] && [ ${#owed[@]} -gt 0 ] || return 0
	rm -rf $work
	mkdir -p $work
	trace /tmp/again.trace -e fs --extra-ops -- "$builddir/tests/conform/conform" c $work "${owed[@]}" >/tmp/expected.again || return
	"$builddir/tests/conform/conform_diff" diff /tmp/again.trace /tmp/expected.again $work >/tmp/cases.again
	second_verdict /tmp/cases /tmp/cases.again >/tmp/cases.new
	mv /tmp/cases.new /tmp/cases
}

# conform TIER [NAME]: a claim for each case
conform()
{
	again /tmp/conform.trace conform_once "$1"
	conform_again "$1"
	sed "s/^\(PASS\|FAIL\|SKIP\): */\1: ${2:-tier $1}: /" /tmp/cases
	[ -s /tmp/cases ]
}

# A tree is renamed all the time while others read in it: no name that a file never had.
moving()
{
	local dir=/tmp/moving.trace work=$scratch/moving n

	rm -rf $work
	mkdir -p $work
	n=$(trace $dir -e fs -m 1024 -- "$builddir/tests/conform/conform_moving" $work 200) || return
	[ "$(lost $dir)" = 0 ] || cells $dir lost stream,reason,count
	cells $dir fs operation,filename,path_status |
		awk -F '\t' -v work=$work -v n="$n" '
			$1 == "READ" && ($2 ~ /\/file$/ || $2 == "") {
				reads++
				if ($2 !~ "^" work "/t[01]/sub/file$" && $3 !~ /[rn]/ && !wrong++)
					example = " such as " $2 " (" $3 ")"
			}
			$1 == "RENAME" { renames++ }
			END { print reads " of " n " reads, " renames " renames, " wrong + 0 " wrong names" example
			      exit !(reads == n && renames == 200 && !wrong) }'
}

# A ring of one page overflows; rows and losses make up what the program did. It
# reads and writes regular files only: in tier c a loss may be of any descriptor.
overflow()
{
	local dir=/tmp/flood.trace n=100003 rows lost

	truncate -s $n /dev/shm/source || return
	trace $dir -e fs -m 1 -- dd if=/dev/shm/source of=/dev/shm/flood bs=1 count=$n || return
	rows=$(cells $dir fs operation | wc -l)
	lost=$(cells $dir lost stream,count | awk -F '\t' '$1 == "fs" { n += $2 } END { print n + 0 }')
	echo "rows $rows, lost $lost, reads and writes $((2 * n))"
	# beside its reads and writes the program opens, reads and closes its libraries
	[ "$lost" -gt 0 ] && [ $((rows + lost)) -ge $((2 * n)) ] && [ $((rows + lost)) -le $((2 * n + 200)) ]
}

cpu_goes_and_comes()
{
	local dir=/tmp/cpu.trace cpu=/sys/devices/system/cpu/cpu1/online

	[ -f $cpu ] || return 77
	# the tracer begins on that CPU: the events of its programs are there
	(taskset -cp 1 $BASHPID >/dev/null && trace $dir -e fs -- bash -c "echo 0 > $cpu; sleep 3; dd if=/dev/zero of=$scratch/H bs=512 count=101
		echo 1 > $cpu; sleep 3; taskset -c 1 dd if=/dev/zero of=$scratch/H bs=512 count=103") || return
	[ "$(cells $dir fs operation,filename | grep -c "WRITE.*$scratch/H")" = 204 ]
}

no_probe_left()
{
	! grep -q iotracer /sys/kernel/tracing/kprobe_events
}

# SIGKILL leaves probes in tracefs at most until the next start.
killed()
{
	local pid dir=/tmp/killed.trace

	rm -rf $dir
	"$iotracer" record -q --no-snapshots -e fs -c dd -o $dir "${options[@]}" &
	pid=$!
	for _ in $(seq 100); do
		[ -f $dir/manifest.json ] && break
		sleep 0.2
	done
	# a segment that is open when it dies
	for _ in $(seq 100); do
		[ -z "$(find $dir/fs -name '.*.part' -size +0 2>/dev/null)" ] || break
		dd if=/dev/zero of=$scratch/K bs=512 count=101 2>/dev/null
		sleep 0.2
	done
	kill -9 $pid
	wait $pid 2>/dev/null
	trace /tmp/after.trace -e fs -- true && no_probe_left
}

# What that one left: closed by --repair, with rows
repaired()
{
	local dir=/tmp/killed.trace status

	"$iotracer" verify $dir
	status=$?
	[ $status = 3 ] || { echo "before: status $status"; return 1; }
	"$iotracer" verify --repair $dir && "$iotracer" verify $dir && [ "$(cells $dir fs operation | grep -c WRITE)" -ge 101 ]
}

# whole DIR...: as verify has it; what was lost is accounted for
whole()
{
	"$iotracer" verify "$@"
}

# 32-bit programs make other system calls; the functions behind them are the same.
program_32()
{
	local dir=/tmp/32.trace

	[ -x "$builddir/tests/conform/conform_32" ] || { echo 'no 32-bit compiler on the host'; return 77; }
	"$builddir/tests/conform/conform_32" $scratch/file32
	[ $? != 126 ] || { echo 'this kernel runs no 32-bit programs'; return 77; }
	trace $dir -e fs -- "$builddir/tests/conform/conform_32" $scratch/file32 || return
	cells $dir fs operation,filename,size,flags,return_value | sed "s,$scratch/file32,F,g" |
		grep -P '^[A-Z]+\t(target -> )?F' >/tmp/32.rows
	diff /tmp/32.rows - <<-END
		OPEN	F	0	O_WRONLY|O_CREAT	$(grep -oP '^OPEN.*\t\K.*' /tmp/32.rows)
		WRITE	F	3	O_WRONLY	3
		CLOSE	F	0	O_WRONLY	0
		GETATTR	F	0		0
		SETATTR	F	0	ATTR_MODE	0
		TRUNCATE	F	2		0
		RENAME	F -> F.second	0		0
		LINK	F.second -> F	0		0
		UNLINK	F.second	0		0
		UNLINK	F	0		0
		SYMLINK	target -> F.other	0		0
		UNLINK	F.other	0		0
		MKDIR	F.other/	0	S_IRUSR|S_IWUSR|S_IXUSR|S_IRGRP|S_IXGRP	0
		RMDIR	F.other/	0		0
	END
}

# Requests that workers of io_uring perform are seen by what they enter.
uring_names()
{
	local dir=/tmp/uring.trace work=$scratch/uring status

	rm -rf $work
	mkdir -p $work
	(cd $work && trace $dir -e fs -- "$builddir/tests/conform/conform" --uring)
	status=$?
	[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null)" != 2 ] || { echo 'kernel.io_uring_disabled is 2'; return 77; }
	[ $status != 77 ] || { echo 'this kernel has no such requests'; return 77; }
	[ $status = 0 ] || return
	cells $dir fs operation,filename,return_value,call | sed "s,$work,W,g" |
		grep -P '^(RENAME|LINK|UNLINK|SYMLINK|MKDIR)\t(target -> )?W' | diff - /dev/fd/3 3<<-END
			RENAME	W/file -> W/second	0	io_uring
			LINK	W/second -> W/third	0	io_uring
			UNLINK	W/second	0	io_uring
			UNLINK	W/third	0	io_uring
			SYMLINK	target -> W/link	0	io_uring
			UNLINK	W/link	0	io_uring
			MKDIR	W/dir/	0	io_uring
		END
}

# A stacked file system repeats each operation on the one below: still one row, and its names.
overlay()
{
	local dir=/tmp/overlay.trace top=$scratch/overlay

	rm -rf $top
	mkdir -p $top/{lower,upper,work,all} && echo low >$top/lower/low || return
	mount -t overlay none -o lowerdir=$top/lower,upperdir=$top/upper,workdir=$top/work $top/all || return
	trace $dir -e fs -- bash -c "cd $top/all; mkdir d; mv low file; chmod 600 file; ln file second
		rm second; mv d e; rmdir e; ln -s target link; rm link; rm file"
	umount $top/all
	cells $dir fs operation,filename,return_value | sed "s,$top/all,W,g" |
		grep -P '^(RENAME|LINK|UNLINK|SYMLINK|MKDIR|RMDIR|SETATTR)\t.*\t0' | diff - /dev/fd/3 3<<-END
			MKDIR	W/d/	0
			RENAME	W/low -> W/file	0
			SETATTR	W/file	0
			LINK	W/file -> W/second	0
			UNLINK	W/second	0
			RENAME	W/d -> W/e	0
			RMDIR	W/e/	0
			SYMLINK	target -> W/link	0
			UNLINK	W/link	0
			UNLINK	W/file	0
		END
}

self_test()
{
	TMPDIR=$scratch "$iotracer" doctor --self-test --no-headers >/tmp/doctor || return
	cat /tmp/doctor
	! grep -q silent /tmp/doctor && grep -q 'REQUEST.*fires' /tmp/doctor
}

# Each READ and WRITE of the last dd_rows is of this tier
tier_in_manifest()
{
	python3 - /tmp/dd.trace/manifest.json "$1" <<-'END'
		import json, sys
		plan = json.load(open(sys.argv[1]))["plan"]
		tiers = {c["tier"] for c in plan if c["operation"] in ("READ", "WRITE") and c.get("chosen")}
		print(tiers)
		sys.exit(tiers != {sys.argv[2]})
	END
}

contradicted()
{
	trace /tmp/contradicted -e fs -- true 2>/tmp/said
	[ $? = 1 ] && cat /tmp/said && grep -q 'built without --no-kprobes' /tmp/said && [ ! -e /tmp/contradicted ]
}

tier()
{
	local tier=$1

	check "tier $tier: 10,007 writes of dd are 10,007 rows" again /tmp/dd.trace dd_rows
	check "tier $tier: direct writes sum up in ds" direct_write
	check "tier $tier: rows and losses make up all writes when the ring overflows" overflow
	check "tier $tier: the conformance program ran" conform "$tier"
	check "tier $tier: names in a tree that moves" again /tmp/moving.trace moving
	check "tier $tier: one row for an operation on an overlay" again /tmp/overlay.trace overlay
	check "tier $tier: verify has all of these for whole" whole /tmp/{dd,ds,flood,conform,moving,overlay}.trace
	check "tier $tier: a killed run leaves no probe behind" killed
	check "tier $tier: and rows that --repair closes" repaired
	check "tier $tier: no probe is left" no_probe_left
}

dmesg -C
check 'tier a: compiled on the host' image a
options=(--image "$rw/image-a")
tier a
check 'a CPU that goes and comes' cpu_goes_and_comes
check 'tier a: a 32-bit program is seen' program_32
check 'tier a: requests of io_uring on names' uring_names
if spared 5.10 6.1 backports; then
	skip 'functions of system calls: seen on 6.12'
else
	check 'functions of system calls: compiled on the host' image f --no-syscall-events
	options=(--image "$rw/image-f" --no-syscall-events)
	check 'functions of system calls: the conformance program ran' conform a functions
fi
if spared 5.10 6.12 backports; then
	skip 'tier b: seen on 6.1'
else
	check 'tier b: compiled on the host' image b --no-kprobes
	options=(--image "$rw/image-b" --no-kprobes)
	tier b
	# what it was built with need not be said again, and cannot be taken back
	options=(--image "$rw/image-b")
	check 'tier b: 10,007 rows from its image without its options' again /tmp/dd.trace dd_rows
	check 'tier b: the manifest says tier b' tier_in_manifest b
fi
if ! spared 5.10 6.12 backports; then
	options=(--image "$rw/image-a" --no-kprobes)
	check 'tier a: its image is refused with --no-kprobes' contradicted
fi
if spared 6.1 6.12 backports; then
	skip 'tier c: seen on 5.10'
else
	# compiled in the guest, as a user would, which takes minutes under emulation: only here
	options=(--no-headers)
	check 'doctor: every chosen probe fires or was not tried' self_test
	check 'tier c: compiled on the host' image c --no-headers
	options=(--image "$rw/image-c" --no-headers)
	tier c
fi
check 'the kernel log is clean' kernel_log_is_clean
