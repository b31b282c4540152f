#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the time of each slice of a timeline went is what `iotracer why` says, of calls and of requests of io_uring,
# in both formats, as Perfetto's own importer counts it.
#   READERS_PERFETTO  a directory to keep the importer in between runs
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-perfetto.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-perfetto.sh"

has_perfetto || skip_all "no importer of Perfetto: $why"

# slices_as_why DIR OFF PERCENT: where the time of each slice went is what why says, in both formats; at most so many
# slices are more than OFF ns longer or shorter than their parts
slices_as_why()
{
	local dir=$1 off=$2 percent=$3 format query wakers
	local parts=(run_ns runqueue_ns device_queue_ns device_ns server_queue_ns server_ns wait_ns unknown_ns) sums

	# a fault is no slice
	mapfile -t sums < <("$IOTRACER" why "$dir" -q --csv 2>/dev/null | grep -v '^FAULT,' |
		python3 "$tests_dir/readers/column.py" --sum "$(IFS=,; echo "${parts[*]}")" | tr ' ' '\n')
	wakers=$("$IOTRACER" why "$dir" -q --slowest --csv -n 100000 2>/dev/null | grep -v '^FAULT,' | awk -F, 'NR > 1 && $NF ~ /^[^:]/' | wc -l)
	{
		for i in "${!parts[@]}"; do
			query="select coalesce(sum(int_value), 0) from slice join args using (arg_set_id) where key in ('debug.${parts[i]}', 'args.${parts[i]}', '${parts[i]}')"
			echo "all of ${parts[i]} is that of why|${sums[i]}|$query"
		done
		echo "parts add up to each slice|0|select sum(abs(dur - n) > $off) * 100 > count(*) * $percent from (select s.id, s.dur, sum(a.int_value) n from slice s join args a using (arg_set_id) where a.key glob '*run_ns' or a.key glob '*queue_ns' or a.key glob '*device_ns' or a.key glob '*server_ns' or a.key glob '*wait_ns' or a.key glob '*unknown_ns' group by s.id)"
		echo "who woke it is named|$wakers|select count(*) from slice join args using (arg_set_id) where key glob '*waker'"
	} >"$dir.claims"
	for format in pftrace fxt; do
		"$IOTRACER" timeline "$dir" -q -o "$dir.$format" 2>"$dir.err" || { cat "$dir.err"; return 1; }
		perfetto_counts "$dir.$format" <"$dir.claims"
	done
}
record parts -m 1024 -e why -- bash -c 'for i in {1..13}; do dd if=/dev/zero of=synced bs=4k count=4 conv=fsync 2>/dev/null; done'
slices_as_why parts 0 0
# Requests of io_uring, for which no thread waits. A slice is from row to row, each of which has its time from the
# ring; the latency is between two readings of the clock a little earlier, and a few lose the CPU between
if why=$(uring_forbidden) || ! command -v fio >/dev/null || { [ ! -d /sys/kernel/tracing/events/io_uring ] && [ "$LIVE_TIER" != a ]; }; then
	skip "requests of io_uring: ${why:-no fio, or no events of io_uring}"
	exit
fi
record requests -m 1024 -e why,iouring -- fio --name=x --filename="$tmp/file" --size=1m --bs=16k --rw=randwrite --direct=1 --ioengine=io_uring --iodepth=8 >/dev/null
slices_as_why requests 20000 10
