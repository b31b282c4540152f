#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A timeline of fio with io_uring: as many requests, arrows and slices as fio and the rows count. Perfetto's own
# importer counts where PERFETTO_QUERY names a command that is called as `CMD --check -Q SQL TRACE`, prints the
# answer as CSV below a header, and fails when the import counted an error.
. "$(dirname "$0")/lib.sh"

why=$(uring_forbidden) && skip_all "$why"
command -v fio >/dev/null || skip_all 'fio is not installed'
[ -d /sys/kernel/tracing/events/io_uring ] || [ "$LIVE_TIER" = a ] || skip_all 'this kernel has no events of io_uring'
fio --name=x --filename="$tmp/file" --size=4m --rw=write --bs=64k --ioengine=psync >fio.log 2>&1 ||
	skip_all 'fio cannot write here'
fio --name=x --filename="$tmp/file" --size=4k --rw=read --ioengine=io_uring >fio.log 2>&1 ||
	skip_all 'io_uring is not allowed here'

# asked TRACE SQL WANTED
asked()
{
	local got

	[ -n "${PERFETTO_QUERY:-}" ] || return 77
	got=$($PERFETTO_QUERY --check -Q "$2" "$1" 2>query.log) || { echo "$got"; return 1; }
	got=$(tail -n 1 <<<"$got")
	[ "$got" = "$3" ] || echo "$got, not $3: $2"
	[ "$got" = "$3" ]
}

# ring NAME [OPTION]...
ring()
{
	local name=$1 submitted

	shift
	record "$name" -e iouring,fs,ds,exec -m 1024 -- fio --name=x --filename="$tmp/file" --size=4m --rw=randread \
		--bs=4k --number_ios=1000 --ioengine=io_uring --iodepth=32 --output="$tmp/$name.out" "$@" ||
		{ fail "$name: recorded"; return; }
	check "$name: drawn" eval '"$IOTRACER" timeline "$name" -o "$name.pftrace" 2>said'
	cells "$name" iouring event_type >events
	submitted=$(grep -c '^SUBMIT$' events)
	check "$name: as many requests as rows" grep -q " $submitted requests of io_uring" said
	check "$name: none of them is open" eval '! grep -q "without" said'
	check "$name: nothing is left beside it" [ ! -e "$name.pftrace.part" ]
	check "$name: a slice for each request" asked "$name.pftrace" \
		"select count(*), count(distinct s.ts || t.id) from slice s join track t on s.track_id = t.id
			join track p on t.parent_id = p.id where p.name glob 'fio*' and s.depth = 0" "$submitted,$submitted"
	# from its submission, by way of a worker or a poll, to its completion
	check "$name: each arrow has one begin and one end" asked "$name.pftrace" \
		"select count(*), count(distinct slice_out), count(distinct slice_in) from flow f
			join slice s on s.id = f.slice_in join track t on t.id = s.track_id
			join track p on p.id = t.parent_id where p.name glob 'fio*'" \
		"$(awk '/^(SUBMIT|QUEUE_ASYNC|POLL_ARM|COMPLETE)$/ { n++ } END { print n "," n "," n }' events)"
	check "$name: in the end nothing is in flight" asked "$name.pftrace" \
		"select sum(value) from (select value, max(ts) from counter group by track_id)" 0
	check "$name: a slice for each file operation, as long as it took" asked "$name.pftrace" \
		"select count(*), sum(dur) from slice join args using (arg_set_id)
			where key = 'debug.size' and name not like '% %'" \
		"$(cells "$name" fs latency_ns | awk '{ n += $1 } END { printf "%d,%d", NR, n }')"
	check "$name: a slice for each request of a device" asked "$name.pftrace" \
		"select count(*) from slice s join track t on s.track_id = t.id join track p on t.parent_id = p.id
			where p.name glob 'device*'" "$(n_rows "$name" ds)"
	[ -n "${PERFETTO_QUERY:-}" ] || echo "SKIP: $name: counts of Perfetto's importer: PERFETTO_QUERY names none"
}

ring plain
ring fixed --fixedbufs=1
ring sqpoll --sqthread_poll=1
ring two --numjobs=2

# states of threads
record states -e sched,exec -- sh -c 'sleep 0.05; sleep 0.05' || fail 'sched was recorded'
check 'a timeline without io_uring' "$IOTRACER" timeline states -o states.pftrace
check 'as many stays on a CPU as rows' asked states.pftrace \
	'select count(*) from sched join thread using (utid) where tid != 0' "$(cells states sched run_ns | grep -c .)"

# what cannot be
mkdir empty
echo '{}' >empty/manifest.json
check 'an empty directory has no timeline' eval '! "$IOTRACER" timeline empty -o e.pftrace 2>said'
check 'and leaves no file' [ ! -e e.pftrace ]
check 'another ending is refused' eval '"$IOTRACER" timeline plain -o x.txt 2>said; [ $? = 2 ] && grep -q pftrace said'
