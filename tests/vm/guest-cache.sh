#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Streams cache and pagefault of a whole machine, in each tier, against what
# the kernel itself counts: mincore, smaps, getrusage, /proc/PID/stat and the
# reclaimed pages of a control group. On ext4 and xfs, which has large folios
# from 5.18 on.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"
# shellcheck source=../lib-pages.sh source-path=SCRIPTDIR
. "${0%/*}/../lib-pages.sh"

export IOTRACER_BCC=$builddir/iotracer-bcc IOTRACER_STUB=$srcdir/compat/stub
iotracer=$builddir/iotracer
pages=$builddir/tests/conform-pages
rw=/host-rw
options=()

cells()
{
	"$builddir/tests/conform-diff" cut "$1" "$2" "$3"
}

# trace DIR [OPTION...] -- COMMAND
trace()
{
	local dir=$1

	shift
	rm -rf "$dir"
	"$iotracer" record -q -m 1024 -o "$dir" "${options[@]}" "$@"
}

# whole DIR COMMAND...: while everything is traced
whole()
{
	local dir=$1 tracer status

	shift
	rm -rf "$dir"
	"$iotracer" record -v -m 1024 -e cache,pagefault -o "$dir" "${options[@]}" 2>/tmp/cache.log &
	tracer=$!
	for _ in $(seq 150); do
		! grep -q 'recording into' /tmp/cache.log || break
		sleep 0.2
	done
	"$@"
	status=$?
	sleep 1
	kill -INT $tracer
	wait $tracer || status=1
	tail -n 20 /tmp/cache.log
	return $status
}

lost()
{
	cells "$1" lost count 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

# All clean pages of the machine; those of this file are looked at.
steps_of_drop()
{
	step drop-made make /mnt/ext4/d $((small_pages * page))
	step drop-read read /mnt/ext4/d 131072
	sync
	step drop-look look /mnt/ext4/d
	# shellcheck disable=SC2016 # for the other shell
	bash -c 'echo "pid $$"; echo 1 >/proc/sys/vm/drop_caches' >"$steps/drop"
	grep '^inode' "$steps/drop-look" >>"$steps/drop"
	step drop-end look /mnt/ext4/d
}

# A control group of 4 MiB reads 12: what it gave back, it says itself.
steps_of_pressure()
{
	local group=/sys/fs/cgroup/pressure

	mkdir -p $group
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	[ -f $group/memory.max ] || return
	step pressure-made make /mnt/ext4/p $((12 << 20))
	echo 4M >$group/memory.max
	# shellcheck disable=SC2016 # for the other shell
	bash -c 'echo $$ >$1/cgroup.procs; exec "$2" read /mnt/ext4/p 131072' - $group "$pages" >"$steps/pressure"
	sed -n 's/^pgsteal /stolen /p' $group/memory.stat >>"$steps/pressure"
	step pressure-look look /mnt/ext4/p
	rmdir $group
}

run_steps()
{
	rm -rf "$steps" /mnt/ext4/pages /mnt/xfs/pages
	mkdir -p "$steps"
	all_steps /mnt/ext4/pages ext4
	all_steps /mnt/xfs/pages xfs
	steps_of_drop
	steps_of_pressure
	steps_at_the_end /mnt/ext4/pages ext4
	steps_at_the_end /mnt/xfs/pages xfs
}

claims_of_drop()
{
	if shows DROP; then
		same 'drop_caches: DROP has the pages that mincore misses' \
			$(($(value drop-look cached) - $(value drop-end cached))) "$(sum DROP drop)"
		same 'drop_caches: and no EVICT' 0 "$(sum EVICT drop)"
	else
		same 'drop_caches: EVICT has the pages that mincore misses' \
			$(($(value drop-look cached) - $(value drop-end cached))) "$(sum EVICT drop)"
	fi
}

# RECLAIM has no file: the process tells. All that it has beside the file's pages stays: there is no swap.
claims_of_pressure()
{
	local pid reclaimed

	if ! [ -f "$steps/pressure" ]; then
		skip "${claims}pressure: this kernel has no memory control groups"
		return
	fi
	same 'pressure: MISS has each page' $(((12 << 20) / page)) "$(sum MISS pressure)"
	same 'pressure: EVICT has what mincore misses' \
		$(((12 << 20) / page - $(value pressure-look cached))) "$(sum EVICT pressure)"
	if [ -n "$(sed 's/0x0*//' /sys/kernel/mm/lru_gen/enabled 2>/dev/null)" ]; then
		skip "${claims}pressure: RECLAIM: lists of generations are switched on"
		return
	fi
	pid=$(value pressure pid)
	reclaimed=$(awk -F'\t' -v pid="$pid" '$1 == "RECLAIM" && $2 == pid { n += $5 } END { print n + 0 }' \
		"$steps/all.cache")
	same 'pressure: RECLAIM has what the group counts' "$(value pressure stolen)" "$reclaimed"
}

# Work of others is no row of a command, even where it began in the command.
filtered()
{
	local dir=/tmp/filtered.trace out=$steps/filtered

	trace $dir -e cache -- bash -c "'$pages' write /mnt/ext4/pages/w 0 100
		'$pages' fsync /mnt/ext4/pages/w; sync" >"$out"
	cells $dir cache event_type,command,count | awk -F'\t' -v kprobes="$([ "$tier" = a ] && echo 1)" '
		$2 ~ /kworker|kswapd|swapper|ksoftirqd/ { strange++ }
		{ n[$1] += $3 }
		END {
			print "of others", strange + 0, "DIRTY", n["DIRTY"] + 0,
				"WRITEBACK", n["WRITEBACK_START"] + 0, n["WRITEBACK_END"] + 0
			exit strange || n["DIRTY"] < 100 ||
				kprobes && (n["WRITEBACK_START"] < 100 || n["WRITEBACK_START"] != n["WRITEBACK_END"])
		}'
}

tier()
{
	local fs

	tier=$1 dir=/tmp/cache.trace steps=/tmp/cache.steps claims="tier $1: " whole_machine=1
	check "${claims}steps while the machine is traced" whole $dir run_steps
	same 'nothing is lost' 0 "$(lost $dir)"
	read_rows $dir
	for fs in xfs ext4; do
		claims="tier $1: $fs: "
		choose_rows /mnt/$fs
		claims_on_cache $fs /mnt/$fs/pages
		claims_on_faults $fs /mnt/$fs/pages
	done
	claims="tier $1: "
	claims_of_drop
	claims_of_pressure
	check "${claims}a command's rows are its own" filtered
	SAMPLED
}

dmesg -C
check 'tier a: compiled on the host' image ca -e cache,pagefault
options=(--image $rw/image-ca)
tier a
check 'tier b: compiled on the host' image cb -e cache,pagefault --no-kprobes
options=(--image $rw/image-cb --no-kprobes)
tier b
options=(--no-headers --no-kprobes)
tier c
check 'the kernel log is clean' bash -c "! dmesg | grep -E 'BUG|WARNING|Oops|refcount|rcu.*stall'"
