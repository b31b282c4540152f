#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer on a real kernel, in each tier: counts, offsets, bytes, and the rows
# that the conformance program expects. Images are compiled on
# the host from this guest's facts (doctor --collect, build, record --image).

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

scratch=/mnt/ext4
work=$scratch/rows
rows=/tmp/rows.trace
told=/tmp/told # what the programs in it said
options=()

# trace DIR [OPTION...] -- COMMAND: into a directory of the guest's own
trace()
{
	local dir=$1

	shift
	rm -rf "$dir"
	"$iotracer" record -v --no-snapshots -o "$dir" "${options[@]}" "$@"
}

# What one trace has of a tier, one thing after the other, each below a directory of its own
cat >/tmp/steps <<'END'
tier=$1 work=$2 conform=$3 told=$4
# told NAME COMMAND...
told()
{
	local name=$1

	shift
	"$@" >"$told/$name"
	echo $? >"$told/$name.status"
}

told conform "$conform/conform" "$tier" "$work/conform"
dd if=/dev/zero of="$work/F" bs=4096 count=10007
dd if=/dev/zero of="$work/G" bs=65536 count=61 oflag=direct
told moving "$conform/conform_moving" "$work/moving" 200
(
	cd "$work/all" || exit
	ls >/dev/null; mkdir d; mv low file; chmod 600 file; ln file second
	rm second; mv d e; rmdir e; ln -s target link; rm link; rm file
)
[ "$tier" = a ] || exit 0
[ ! -x "$conform/conform_32" ] || told program_32 "$conform/conform_32" "$work/file32"
cd "$work/uring" && told uring "$conform/conform" --uring
exit 0
END

# record_rows TIER: with a stacked file system at hand
record_rows()
{
	local status

	rm -rf $work $told
	mkdir -p $told $work/{conform,moving,uring,lower,upper,work,all} && echo low >$work/lower/low || return
	mount -t overlay none -o lowerdir=$work/lower,upperdir=$work/upper,workdir=$work/work $work/all || return
	sync
	trace $rows -e fs,ds --extra-ops -m 1024 -- bash /tmp/steps "$1" $work "$builddir/tests/conform" $told
	status=$?
	umount $work/all
	return $status
}

# said NAME: the program ran, and this is what it said
said()
{
	cat "$told/$1"
	return "$(<"$told/$1.status")"
}

no_call_lost()
{
	! cells $rows lost stream,reason,count 2>/dev/null | grep '^fs'
}

# 10,007 writes of dd: one row each at the right offset, one OPEN, one CLOSE
dd_rows()
{
	cells $rows fs operation,filename,size,offset,return_value |
		awk -F '\t' -v file=$work/F '
			$2 != file { next }
			$1 == "WRITE" { if ($3 != 4096 || $5 != 4096 || $4 != 4096 * n) bad++; n++; next }
			{ count[$1]++ }
			END { print n, bad + 0, count["OPEN"], count["CLOSE"]
			      exit !(n == 10007 && !bad && count["OPEN"] == 1 && count["CLOSE"] == 1) }'
}

direct_write()
{
	cells $rows ds command,operation,size,cause |
		awk -F '\t' '$1 == "dd" && $2 == "write" && $4 == "direct" { n += $3 } END { print n; exit n != 61 * 65536 }'
}

# conform NAME: a claim for each case of the program that states its own rows
conform()
{
	said conform >/tmp/expected || return
	"$builddir/tests/conform/conform_diff" diff $rows /tmp/expected $work/conform >/tmp/cases
	sed "s/^\(PASS\|FAIL\|SKIP\): */\1: $1: /" /tmp/cases
	[ -s /tmp/cases ]
}

# A tree is renamed all the time while others read in it: no name that a file never had.
moving()
{
	said moving >/dev/null || return
	cells $rows fs operation,filename,path_status,command |
		awk -F '\t' -v work=$work/moving -v n="$(said moving)" '
			$4 != "conform_moving" { next }
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
	local dir=/tmp/flood.trace n=30011 n_rows lost

	truncate -s $n /dev/shm/source || return
	trace $dir -e fs -m 1 -- dd if=/dev/shm/source of=/dev/shm/flood bs=1 count=$n || return
	n_rows=$(cells $dir fs operation | wc -l)
	lost=$(cells $dir lost stream,count | awk -F '\t' '$1 == "fs" { n += $2 } END { print n + 0 }')
	echo "rows $n_rows, lost $lost, reads and writes $((2 * n))"
	# beside its reads and writes the program opens, reads and closes its libraries
	[ "$lost" -gt 0 ] && [ $((n_rows + lost)) -ge $((2 * n)) ] && [ $((n_rows + lost)) -le $((2 * n + 200)) ]
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

# SIGKILL leaves probes in tracefs at most until the next start, which is that of overflow.
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
		# all rows of a run of it: they come in the order of their ends, a second later
		[ "$(find $dir/fs -name '.*.part' -exec cat {} + 2>/dev/null | grep -c ,WRITE,)" -lt 101 ] || break
		dd if=/dev/zero of=$scratch/K bs=512 count=101 2>/dev/null
		sleep 0.2
	done
	kill -9 $pid
	wait $pid 2>/dev/null
	[ -s $dir/manifest.json ]
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

# 32-bit programs make other system calls; the functions behind them are the same.
program_32()
{
	[ -f $told/program_32 ] || { echo 'no 32-bit compiler on the host'; return 77; }
	[ "$(<$told/program_32.status)" != 126 ] || { echo 'this kernel runs no 32-bit programs'; return 77; }
	if ! said program_32; then
		"$builddir/tests/conform/conform_32" "$work/alone" && return 1
		echo 'it does not run here, traced or not' # as on 6.12 with pages of 16 KiB
		return 77
	fi
	cells $rows fs operation,filename,size,flags,return_value | sed "s,$work/file32,F,g" |
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
	[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null)" != 2 ] || { echo 'kernel.io_uring_disabled is 2'; return 77; }
	[ "$(<$told/uring.status)" != 77 ] || { echo 'this kernel has no such requests'; return 77; }
	said uring || return
	cells $rows fs operation,filename,return_value,call | sed "s,$work/uring,W,g" |
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
	cells $rows fs operation,filename,return_value | sed "s,$work/all,W,g" |
		grep -P '^[A-Z]+\t(target -> )?W' | grep -P '^(RENAME|LINK|UNLINK|SYMLINK|MKDIR|RMDIR|SETATTR)\t.*\t0' | diff - /dev/fd/3 3<<-END
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

# It closes what it opened itself below, which no call had opened
overlay_closes()
{
	cells $rows fs operation,command,filename | awk -F '\t' -v all=$work/all '
		$1 == "CLOSE" && $2 ~ /^(ls|mv|chmod|rm|rmdir)$/ && $3 !~ /^\// { others++; example = $3 }
		$1 == "CLOSE" && $2 == "ls" && $3 ~ "^" all "/?$" { own++ }
		END { print own + 0 " of its own directory, " others + 0 " of others " example; exit own != 1 || others }'
}

self_test()
{
	TMPDIR=$scratch IOTRACER_BCC=$srcdir/tests/vm/host-bcc "$iotracer" doctor --self-test --no-headers >/tmp/doctor || return
	cat /tmp/doctor
	! grep -q silent /tmp/doctor && grep -q 'REQUEST.*fires' /tmp/doctor
}

# Each READ and WRITE of these rows is of this tier
tier_in_manifest()
{
	python3 "$srcdir/tests/readers/manifest_checks.py" tiers_of_data $rows/manifest.json "$1"
}

contradicted()
{
	trace /tmp/contradicted -e fs -- true 2>/tmp/said
	[ $? = 1 ] && cat /tmp/said && grep -q 'built without --no-kprobes' /tmp/said && [ ! -e /tmp/contradicted ]
}

# claims_on_rows TIER NAME
claims_on_rows()
{
	check "$2: the conformance program ran" conform "$2"
	check "$2: no call was lost" no_call_lost
	check "$2: 10,007 writes of dd are 10,007 rows" dd_rows
	check "$2: direct writes sum up in ds" direct_write
	check "$2: names in a tree that moves" moving
	check "$2: one row for an operation on an overlay" overlay
	check "$2: a directory of an overlay is closed once" overlay_closes
	[ "$1" = a ] || return 0
	check "$2: a 32-bit program is seen" program_32
	check "$2: requests of io_uring on names" uring_names
}

# rows TIER NAME: up to three times while the trace says that the kernel skipped a program
rows()
{
	local tries=1 failed=$cases_failed

	until record_rows "$1" && claims_on_rows "$@" >/tmp/claims && [ "$cases_failed" = "$failed" ]; do
		[ -f $rows/manifest.json ] || { fail "$2: recorded"; return; }
		if ! skipped $rows || [ $((tries++)) = 3 ]; then
			break
		fi
		sed -n 's/^FAIL: /the kernel skipped a program: /p' /tmp/claims
		cases_failed=$failed
	done
	cat /tmp/claims
}

tier()
{
	local tier=$1

	rows "$tier" "tier $tier"
	# of tier a alone probes stay behind; the files are the same in each
	[ "$tier" != a ] || ! part ends || check "tier $tier: a run is killed" killed
	check "tier $tier: rows and losses make up all writes when the ring overflows" overflow
	check "tier $tier: no probe is left" no_probe_left
	check "tier $tier: verify has these for whole" "$iotracer" verify $rows /tmp/flood.trace
	[ "$tier" != a ] || ! part ends || check "tier $tier: --repair closes what the killed one left" repaired
}

dmesg -C
if part a; then
	tier_image a
	options=(--image "$rw/image-a")
	tier a
	! part cpu || check 'a CPU that goes and comes' cpu_goes_and_comes
fi
if part f; then
	check 'functions of system calls: compiled on the host' image f -e fs,ds --no-syscall-events
	options=(--image "$rw/image-f" --no-syscall-events)
	rows a functions
fi
if part b; then
	tier_image a
	options=(--image "$rw/image-a" --no-kprobes)
	check 'tier a: its image is refused with --no-kprobes' contradicted
	tier_image b
	# what it was built with need not be said again
	options=(--image "$rw/image-b")
	tier b
	check 'tier b: the manifest says tier b' tier_in_manifest b
fi
if part c; then
	options=(--no-headers)
	check 'doctor: every chosen probe fires or was not tried' self_test
	tier_image c
	options=(--image "$rw/image-c" --no-headers)
	tier c
fi
check 'the kernel log is clean' kernel_log_is_clean
