#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Streams cache and pagefault of a whole machine, in each tier, against what
# the kernel itself counts: mincore, smaps, getrusage, /proc/PID/stat and the
# reclaimed pages of a control group. On ext4 and xfs, which has large folios
# from 5.18 on.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"
# shellcheck source=../live/lib-pages.sh source-path=SCRIPTDIR
. "${0%/*}/../live/lib-pages.sh"

pages=$builddir/tests/conform/conform_pages
options=()

# trace DIR [OPTION...] -- COMMAND
trace()
{
	local dir=$1

	shift
	rm -rf "$dir"
	"$iotracer" record -q --no-snapshots -m 1024 -o "$dir" "${options[@]}" "$@"
}

# whole DIR COMMAND...: while everything is traced
whole()
{
	local dir=$1 tracer status

	shift
	rm -rf "$dir"
	"$iotracer" record -v --no-snapshots -m 1024 -e cache,pagefault -o "$dir" "${options[@]}" 2>/tmp/cache.log &
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

steps_of_drop()
{
	step drop-made make "$disk/d" $((small_pages * page))
	step drop-read read "$disk/d" 131072
	step drop-sync sync "$disk/d"
	step drop-look look "$disk/d"
	step drop drop "$disk/d"
	step drop-end look "$disk/d"
}

# A control group of 4 MiB reads 8: what it gave back, it says itself.
pressure_bytes=$((8 << 20))
pressure()
{
	local group=/sys/fs/cgroup/pressure

	mkdir -p $group
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	[ -f $group/memory.max ] || return
	run_steps step pressure-made make "$disk/p" $pressure_bytes
	echo 4M >$group/memory.max
	# shellcheck disable=SC2016 # for the other shell
	bash -c 'echo $$ >$1/cgroup.procs; exec "$2" read $3/p 131072' - $group "$pages" "$disk" >"$steps/pressure"
	sed -n 's/^pgsteal /stolen /p' $group/memory.stat >>"$steps/pressure"
	run_steps step pressure-look look "$disk/p"
	rmdir $group
}

all_disks()
{
	local fs

	for fs in $disks; do
		all_steps "/mnt/$fs/pages" "$fs"
	done
	steps_of_drop
}

all_ends()
{
	local fs

	for fs in $disks; do
		steps_at_the_end "/mnt/$fs/pages" "$fs"
	done
}

everything()
{
	run_steps all_disks || return
	pressure
	run_steps all_ends
}

dropped()
{
	local event=EVICT

	! shows DROP || event=DROP
	same "$event, pages that mincore misses" \
		$((${n_of[drop-look:cached]:-0} - ${n_of[drop-end:cached]:-0})) "${n_of[drop:$event]}"
	[ $event = EVICT ] || same 'EVICT' 0 "${n_of[drop:EVICT]:-0}"
}

# Each page is read once, some again: what was read ahead may be gone before it is used.
under_pressure()
{
	same 'each page was read' 1 $((${n_of[pressure:MISS]:-0} >= pressure_bytes / page))
	same 'MISS less EVICT, pages that mincore finds' "${n_of[pressure-look:cached]:-0}" \
		$((${n_of[pressure:MISS]:-0} - ${n_of[pressure:EVICT]:-0}))
}

# RECLAIM has no file: the process tells. It has nothing else that could go: there is no swap.
reclaimed()
{
	same 'RECLAIM, pgsteal of the group' "${n_of[pressure:stolen]}" \
		"$(awk -F'\t' -v pid="${n_of[pressure:pid]}" '
			$1 == "RECLAIM" && $2 == pid { n += $5 } END { print n + 0 }' "$steps/rows.cache")"
}

claims_on_reclaim()
{
	if ! [ -f "$steps/pressure" ]; then
		skip "${claims}pressure: this kernel has no memory control groups"
		return
	fi
	claim 'pressure: pages come and go' under_pressure
	case $(cat /sys/kernel/mm/lru_gen/enabled 2>/dev/null) in
	'' | 0x0000) claim 'pressure: what was reclaimed' reclaimed ;;
	*) skip "${claims}pressure: what was reclaimed: multi-generational LRU does not tell everywhere" ;;
	esac
}

# Work of others is no row of a command, even where it began in the command. What has not
# ended a second later is lost.
filtered()
{
	local dir=/tmp/filtered.trace seconds=0

	[ "$tier" != a ] || seconds=1.2
	trace $dir -e cache -- bash -c "'$pages' write $disk/pages/w 0 100
		'$pages' fsync $disk/pages/w; sync; sleep $seconds" >"$steps/filtered"
	cells $dir cache event_type,command,count | awk -F'\t' -v kprobes="$([ "$tier" = a ] && echo 1)" '
		$2 ~ /kworker|kswapd|swapper|ksoftirqd/ { strange++ }
		{ n[$1] += $3 }
		END {
			print "of others", strange + 0, "DIRTY", n["DIRTY"] + 0,
				"WRITEBACK", n["WRITEBACK_START"] + 0, n["WRITEBACK_END"] + 0
			exit strange || n["DIRTY"] < (kprobes ? 100 : 1) ||
				kprobes && (n["WRITEBACK_START"] < 100 || n["WRITEBACK_START"] != n["WRITEBACK_END"])
		}'
}

# Once more while the trace says that it lost some
filtered_whole()
{
	local i

	for i in 1 2 3 4 5; do
		filtered && return
		[ -n "$(losses /tmp/filtered.trace)" ] || return 1
		echo 'ends of write-back were lost'
	done
	return 1
}

# A known number of events of single pages: warm reads, or, where these leave no rows, pages
# that come and go. Rows and what was left out make up all of them and what it takes to start
# the program; the rows are a tenth, within six sigma.
sampled()
{
	local dir=/tmp/sampled.trace file=$disk/pages/r rounds=40 known rows out

	if shows HIT; then
		"$pages" read "$file" "$page" >/dev/null
		trace $dir -e cache --cache-sample-rate 10 -- "$pages" random "$file" "$small_pages" $rounds || return
		known=$((rounds * small_pages))
		# the last page of the file has none behind it
		! marks_behind || known=$((known + rounds * (small_pages - 1)))
	else
		rounds=20
		"$pages" cold "$file" >/dev/null
		trace $dir -e cache --cache-sample-rate 10 -- "$pages" random "$file" "$small_pages" $rounds cold \
			>"$steps/cold-rounds" || return
		known=$((39 * small_pages - 2 * $(sed -n 's/^stayed //p' "$steps/cold-rounds")))
	fi
	rows=$(cells $dir cache event_type | grep -cv 'INVALIDATE\|READAHEAD\|RECLAIM')
	out=$(jq '.sampling[] | select(.stream == "cache") | .left_out' $dir/manifest.json)
	echo "of $known events and those of a start $rows are rows, and $out left out"
	awk -v known=$known -v rows="$rows" -v out="$out" '
		function off(a, b) { return a > b ? a - b : b - a }
		BEGIN {
			all = rows + out
			exit all < known || all > known + 1500 || off(rows, all / 10) > 6 * sqrt(all * 0.09)
		}'
}

# Without kprobes the file is looked up afterwards. Of a process that began and ended before the
# tracer came to it, among all of the machine, that may fail; a command is followed from its start.
faults_of_command()
{
	trace /tmp/faults.trace -e pagefault -- bash -c ". '$srcdir/tests/live/lib-pages.sh'
		pages='$pages' steps='$steps'
		run_steps steps_of_faults /mnt/$1/pages $1" &&
		read_rows /tmp/faults.trace "/mnt/$1" && choose_rows "/mnt/$1"
}

# Mount namespaces of faults are those that the process is in, though it ended long before anybody could look
faults_in_a_namespace()
{
	trace /tmp/ns.trace -e pagefault -- unshare -m bash -c 'readlink /proc/self/ns/mnt >/tmp/ns; exec md5sum /dev/null' || return
	cells /tmp/ns.trace pagefault command,mntns | awk -F'\t' -v ns="$(tr -dc 0-9 </tmp/ns)" '
		$1 == "md5sum" { n++; others += $2 != ns }
		END { print n + 0 " faults in " ns ", " others + 0 " in others"; exit !n || others }'
}

every_program()
{
	! grep 'does not load' /tmp/cache.log
}

# tier NAME FILE-SYSTEM...
tier()
{
	local fs

	tier=$1 dir=/tmp/cache.trace steps=/tmp/cache.steps claims="tier $1: " whole_machine=1
	shift
	disks=$* disk=/mnt/${!#}
	# before: inode numbers come again
	rm -rf $steps /mnt/{ext4,xfs}/{pages,d,p}
	mkdir $steps /mnt/{ext4,xfs}/pages
	check "${claims}steps while the machine is traced" whole $dir everything
	read_rows $dir /mnt/ext4 /mnt/xfs
	check "${claims}nothing is lost without a word" no_loss $dir
	# the image has programs of other streams
	check "${claims}what is not recorded is not said to be missing" every_program
	for fs in $disks; do
		claims="tier $tier: $fs: "
		choose_rows "/mnt/$fs"
		claims_on_cache "$fs" "/mnt/$fs/pages"
		[ "$tier" != a ] || claims_on_faults "$fs" "/mnt/$fs/pages"
	done
	claims="tier $tier: "
	claim 'drop_caches: DROP and nothing else' dropped
	claims_on_reclaim
	if [ "$tier" != a ] && [ ! -d /sys/kernel/tracing/events/exceptions/page_fault_user ]; then
		skip "${claims}faults of a command: no event of this machine tells of them"
	elif [ "$tier" != a ]; then
		check "${claims}faults of a command" faults_of_command "$disks"
		claims="tier $tier: $disks: "
		claims_on_faults "$disks" "/mnt/$disks/pages"
		claims="tier $tier: "
	fi
	[ "$tier" != a ] || check "${claims}faults in a mount namespace of their own" faults_in_a_namespace
	check "${claims}a command's rows are its own, and its write-back has both ends" filtered_whole
	check "${claims}a sample of one in ten" sampled
}

dmesg -C
if part a; then
	tier_image a
	options=(--image "$rw/image-a")
	tier a xfs ext4
fi
# for time's sake one file system each: $disks is its name
if part b; then
	tier_image b
	options=(--image "$rw/image-b" --no-kprobes)
	tier b xfs
fi
if part c; then
	tier_image c
	options=(--image "$rw/image-c" --no-headers)
	tier c ext4
fi
check 'the kernel log is clean' kernel_log_is_clean
