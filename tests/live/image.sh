#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `record --image` follows the plan of the image: its streams and its tier,
# whatever a plan made here would be. What it lacks is an error that says so.
. "$(dirname "$0")/lib.sh"

[ -z "${LIVE_IMAGE:-}" ] || skip_all 'images are made here, of tier c'

# image NAME OPTION...: of this host, in tier c
image()
{
	local name=$1

	shift
	[ -f facts.tar.gz ] || "$IOTRACER" doctor --collect facts.tar.gz 2>/dev/null || return
	"$IOTRACER" build -q --root facts.tar.gz --no-headers -o "$name" "$@"
}

# from DIR OPTION...: a record with nothing but these options and ten writes
from()
{
	local dir=$1

	shift
	"$IOTRACER" record -o "$dir" --no-snapshots "$@" -- dd if=/dev/zero of="$tmp/file" bs=512 count=10 2>"$dir.log"
}

ten_writes()
{
	[ "$(cells "$1" fs operation,filename | grep -c "WRITE.*$tmp/file")" = 10 ]
}

# refused DIR WORDS OPTION...: status 1, one message with the words, no directory
refused()
{
	local dir=$1 words=$2

	shift 2
	from "$dir" "$@"
	[ $? = 1 ] && one_message "$dir.log" && grep -q -- "$words" "$dir.log" && [ ! -e "$dir" ]
}

# What is no regular file is neither written to nor waited for.
no_regular_file()
{
	mkfifo pipe && mknod null c 1 3 || return
	! image null -e fs 2>null.log && one_message null.log && [ -c null ] && grep -q 'null: not a regular file' null.log &&
		! timeout 20 "$IOTRACER" record -o piped --image pipe -- true 2>piped.log &&
		grep -q 'pipe: not a regular file' piped.log && [ ! -e piped ] &&
		! "$IOTRACER" doctor --collect null 2>null.log && [ -c null ] && [ -z "$(ls -d ./*.part 2>/dev/null)" ]
}

its_streams()
{
	from all --image fs.image && ten_writes all && [ ! -e all/exec ] && ! grep -q '^iotracer: ds ' all.log
}

fewer_streams()
{
	from fewer --image two.image -e fs && ten_writes fewer && [ ! -e fewer/exec ]
}

all_but()
{
	from but --image two.image -e '!exec' && ten_writes but && [ ! -e but/exec ]
}

# live: a record has come, in the self-test or since
told_in_the_manifest()
{
	python3 "$tests_dir/readers/manifest_checks.py" all_but_one all/manifest.json
}

# with an image, too, nothing is traced where process numbers are not the kernel's
in_a_namespace()
{
	unshare -pf --mount-proc true 2>/dev/null || { echo 'unshare -p is not allowed'; return 77; }
	unshare -pf --mount-proc "$IOTRACER" record -o blind --no-snapshots --image fs.image -- true 2>blind.log
	[ $? = 1 ] && one_message blind.log && grep -q "not in the host's PID namespace" blind.log && [ ! -e blind ]
}

damaged()
{
	sed 's/^choice 0 fs READ/choice 0 fs ROAD/' fs.image >damaged.image && ! cmp -s fs.image damaged.image &&
		refused d 'cannot use' --image damaged.image
}

# ---- what the cache gives ----

# cached DIR OPTION...: the same with a cache of this test's own
cached()
{
	local dir=$1

	shift
	IOTRACER_CACHE=$tmp/cache "$IOTRACER" record -v -o "$dir" "${record_options[@]}" "$@" -- \
		dd if=/dev/zero of="$tmp/file" bs=512 count=10 status=none 2>"$dir.log"
}

n_images()
{
	find "$tmp/cache" -name '*.bpf.o' | wc -l
}

announced()
{
	grep -Eq '^iotracer: compiling for this kernel, once \(about [0-9]+ s\)$' "$1.log"
}

# exec and fs differ in what they need, so that the image is of both
compiled_once()
{
	cached wide -e fs,nw,exec && announced wide && ten_writes wide &&
		grep -q '^iotracer: start: compile ' wide.log && [ "$(n_images)" = 1 ] || return
	cached again -e fs,nw,exec && ! announced again && ten_writes again && grep -q '(cached programs)' again.log
}

# without what no two runs have in common: when, who, where in memory, how long
rows_of_dd()
{
	cells "$1" fs operation,command,filename,size,flags,offset,fd,path_status,return_value | grep -w dd |
		sed '/^MMAP/s/[^\t]*$//'
}

one_for_more()
{
	cached narrow -e fs && ! announced narrow && grep -q 'compiled for more streams' narrow.log &&
		ten_writes narrow && [ ! -e narrow/exec ] && [ ! -e narrow/nw ] && [ "$(n_images)" = 1 ]
}

# one that was compiled for fs alone says the same
the_same_rows()
{
	"$IOTRACER" record -q --no-cache -o own "${record_options[@]}" -e fs -- \
		dd if=/dev/zero of="$tmp/file" bs=512 count=10 status=none && [ "$(rows_of_dd own | wc -l)" -gt 12 ] &&
		diff <(rows_of_dd own) <(rows_of_dd narrow)
}

others_are_compiled()
{
	cached other -e exec && ! grep -q 'compiled for more streams' other.log && [ "$(n_images)" = 2 ]
}

# ---- the end ----

all_goes_away()
{
	cached last -e fs && eventually 120 none_detaches || return
	# the lock is held as long as anybody has set the switch
	[ ! -e /sys/kernel/rcu_expedited ] || [ "$(flock -s /sys/kernel/rcu_expedited cat /sys/kernel/rcu_expedited)" = "$switch" ]
}
switch=$(flock -s /sys/kernel/rcu_expedited cat /sys/kernel/rcu_expedited 2>/dev/null)

check 'an image is made of stream fs' image fs.image -e fs
check 'an image is made of streams fs and exec' image two.image -e fs,exec
check 'without options it is the streams of the image' its_streams
check 'the manifest tells what came, and does not call live what never came' told_in_the_manifest
check 'fewer streams than the image has' fewer_streams
check 'all but one' all_but
check 'a stream that it has not is an error' refused nw 'without stream nw' --image fs.image -e nw
check 'one among others, too' refused two 'without stream ds' --image fs.image -e fs,ds
check 'headers are of no use any more' refused h 'already compiled' --image fs.image --headers /usr/src
check 'system calls are seen by their tracepoints' refused f 'without --no-syscall-events' \
	--image fs.image --no-syscall-events
check 'options that it agrees with' from agrees --image fs.image --no-headers --no-kprobes
check 'refused in another PID namespace with an image' in_a_namespace
check 'what is no regular file is refused' no_regular_file
check 'a damaged plan is refused' damaged
check 'programs are compiled once, and that is said' compiled_once
check 'an image for more streams serves a recording of fewer' one_for_more
check 'with the same rows' the_same_rows
check 'not one whose programs would be others' others_are_compiled
check 'nothing stays attached, and the kernel is left as it was' all_goes_away

if command -v strace >/dev/null; then
	reads_no_symbols()
	{
		strace -f -qq -e trace=execve,openat -o calls "$builddir/iotracer" record -q --no-cache -e exec "${tier_options[@]}" -o quick -- true &&
			grep -q 'execve(.*iotracer-bcc' calls && ! grep '/proc/kallsyms' calls
	}
	check 'the compiler does not read all symbols of the kernel' reads_no_symbols
else
	skip 'the compiler does not read all symbols of the kernel' 'no strace'
fi
