# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings that the tests of several readers look at, made once for a run of `make check`, by whoever needs
# one first. Sourced after lib.sh, never run.
#   LIVE_CORPUS  the directory that they are kept in (default: each script makes its own)

# corpus NAME: as NAME in this directory, with NAME.log, and what its program left; $at is where that ran. What
# cannot be recorded is a failure of each script that needs it, and false.
# shellcheck disable=SC2034 # at is for who asks
corpus()
{
	local name=$1 status

	at=${LIVE_CORPUS:-$tmp/corpus}/$LIVE_TIER/$name
	mkdir -p "$at" && at=$(cd "$at" && pwd -P) && exec 7>"$at.lock" && flock 7 || return
	if [ ! "$at/ready" -nt "$IOTRACER" ]; then
		(
			exec 7>&-
			rm -rf "$at" && mkdir "$at" && cd "$at" && "corpus_${name//-/_}" && : >ready
		)
	fi
	exec 7>&-
	[ -e "$at/ready" ] && cp -a "$at/$name" "$at/$name".* . && return
	fail "$name: recorded ($(tail -n 1 "$at/$name.log" 2>&1))"
	return 1
}

# ---- requests of io_uring, of fio: in five ways ----

# ring NAME JOBS [OPTION]...: what fio says of it is NAME.json
corpus_ring()
{
	local name=$1 jobs=$2

	shift 2
	fio --name=x --filename="$PWD/file" --size=4m --rw=write --bs=64k --ioengine=psync >fio.log 2>&1 &&
		record "$name" -e iouring,fs,ds,exec -m 1024 -- fio --name=x --filename="$PWD/file" --size=4m --rw=randrw \
			--bs=4k --number_ios=700 --ioengine=io_uring --iodepth=16 --numjobs="$jobs" --output-format=json \
			--output="$PWD/$name.json" "$@"
}
corpus_plain() { corpus_ring plain 1; }
corpus_fixed() { corpus_ring fixed 1 --fixedbufs=1; }
corpus_sqpoll() { corpus_ring sqpoll 1 --sqthread_poll=1; }
corpus_two() { corpus_ring two 2; }
corpus_threads() { corpus_ring threads 4 --thread; }

# Requests in every way; what they must leave is ways.expected. False as well where the program cannot do them by itself
corpus_ways()
{
	local uring

	uring=$(program conform_uring) && record ways -e iouring -m 1024 -- "$uring" "$PWD" >ways.expected
}

# ---- what lacks something ----

corpus_only_fs() { record only-fs -e fs -- sh -c 'echo x >y'; }
corpus_only_exec() { record only-exec -e exec -- true; }

# The smallest ring, and more calls than it has room for
corpus_overflowed() { record overflowed -m 1 -e fs,exec -- dd if=/dev/zero of=much bs=1 count=200000 status=none; }

# ---- of all streams ----

traced=$tests_dir/live/traced

corpus_everything() { record everything --rotate-rows 200 -m 1024 -- python3 "$traced/everything.py"; }
corpus_packed() { record packed --rotate-rows 100 --compress gz -m 1024 -- python3 "$traced/everything.py"; }

# Names are tokens, in its summary as well
corpus_hidden() { record hidden -a -e fs --summary -- python3 "$traced/many_files.py" 400 0; }
