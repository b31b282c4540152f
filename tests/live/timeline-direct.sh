#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Arrows of a timeline from requests of io_uring to those of the device, as Perfetto's own importer counts
# them: each direct read or write of fio has its own, to the sectors where the file system has its place.
# Many at once are told apart where the kernel says whose is whose; else they have no arrow rather than a wrong one.
#   READERS_PERFETTO  a directory to keep the importer in between runs
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-disks.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-disks.sh"
# shellcheck source=lib-perfetto.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-perfetto.sh"

why=$(uring_forbidden) && skip_all "$why"
for tool in fio filefrag losetup; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
events=/sys/kernel/tracing/events/io_uring
[ -d $events ] || events=/sys/kernel/debug/tracing/events/io_uring
[ -d $events ] || skip_all 'this kernel has no events of io_uring'
has_perfetto || skip_all "counts of Perfetto's importer: $why"

undo()
{
	umount_images
}

# place TYPE: a file of 32 MiB on a file system of that type, and where its pieces are: sector less offset
place()
{
	mount_image "$1" || return
	fallocate -l 32m "$1/file" && dd if=/dev/zero of="$1/file" bs=1M count=32 conv=notrunc 2>dd.log && sync "$1/file" || return
	shifts=$(filefrag -v -b512 "$1/file" | sed -n 's/^ *[0-9]*: *\([0-9]*\)\.\. *[0-9]*: *\([0-9]*\)\.\..*/\2 \1/p' |
		awk '{ printf "%s%d", (NR > 1 ? "," : ""), ($1 - $2) * 512 }')
}

# Whether the kernel says of a request of the device which of io_uring it is
told=
if [ "$LIVE_TIER" != c ] && [ "${LIVE_LAYOUT:-}" != learned ]; then
	grep -qs ' req;' $events/io_uring_submit_sqe/format $events/io_uring_submit_req/format && told=1
fi

# and of that one which place of the file it is for
placed=1
[ "$LIVE_TIER" != c ] && [ "${LIVE_LAYOUT:-}" != learned ] || placed=

arrow="slice d join lanes dl on dl.track_id = d.track_id join flow f on f.slice_in = d.id join slice m on m.id = f.slice_out join slice r on r.id = m.parent_id join lanes rl on rl.track_id = r.track_id where dl.of_group glob 'device *' and rl.of_group glob '* ring *' and m.name = 'request'"

# fio_on DIR NAME DEPTH [OPTION]...: blocks that are no neighbours, of which none are put together
fio_on()
{
	local dir=$1 name=$2 depth=$3

	shift 3
	rm -rf "$name"
	record "$name" -e iouring,fs,ds,exec -m 1024 -- fio --name=x --filename="$dir/file" --size=32m --bs=4k --blockalign=64k \
		--number_ios=400 --ioengine=io_uring --iodepth="$depth" --output="$tmp/$name.out" "$@" || fail "$name: recorded"
}

# arrows NAME: each direct request of the device has one, but those of which nobody knows how long they took:
# no program saw their end
arrows()
{
	local name=$1 n ended unseen format formats=pftrace where=0

	n=$(cells "$name" ds cause,operation | grep -c "^direct	\(read\|write\)$")
	equal "$name: each of fio's is direct" "$(sed -n 's/.*issued rwts: total=\([0-9]*\),\([0-9]*\),.*/\1 \2/p' "$name.out" |
		awk '{ n += $1 + $2 } END { print n }')" "$n"
	ended=$(cells "$name" ds cause,operation,latency_ms | grep -c "^direct	\(read\|write\)	.")
	[ "$ended" = "$n" ] || echo "# $name: of $((n - ended)) no end was seen"
	# of what the file system wrote for itself, too
	unseen=$(cells "$name" ds latency_ms | grep -c '^$')
	check "$name: of most an end was seen: $ended of $n" [ $((ended * 10)) -ge $((n * 8)) ]
	[ -z "$placed" ] || where=$ended
	# which is slow
	[[ $name != *-many ]] || formats+=' fxt'
	for format in $formats; do
		"$IOTRACER" timeline "$name" -o "$name.$format" 2>"$name.said" || fail "$name: drawn as $format"
		perfetto_counts "$name.$format" <<-END
			each direct request of the device has one arrow, from a request of its own|$ended,$ended,$ended|select count(*), count(distinct d.id), count(distinct r.id) from $arrow
			which lies around it, and goes the same way|$ended|select count(*) from $arrow and r.ts <= d.ts and r.ts + r.dur >= d.ts + d.dur and lower(substr(r.name, 1, 4)) = substr(d.name, 1, 4)
			and is for that place of the file|$where|select count(*) from args sector, args offset, $arrow and sector.arg_set_id = d.arg_set_id and offset.arg_set_id = r.arg_set_id and replace(sector.key, 'debug.', '') = 'sector' and replace(offset.key, 'debug.', '') = 'offset' and sector.int_value * 512 - offset.int_value in ($shifts)
			each whose end nobody saw says so|$unseen|select count(*) from args a, slice d join lanes l on l.track_id = d.track_id where a.arg_set_id = d.arg_set_id and l.of_group glob 'device *' and replace(a.key, 'debug.', '') = 'end'
		END
	done
}

for kind in ext4 xfs; do
	place $kind || { skip "$kind: mkfs.$kind is not installed, or there are no loop devices"; continue; }
	fio_on $kind $kind-one 1 --rw=randrw --direct=1
	arrows $kind-one
	if [ -z "$told" ]; then
		fio_on $kind $kind-many 16 --rw=randrw --direct=1
		check "$kind-many: has a timeline" eval '"$IOTRACER" timeline $kind-many -o many.pftrace 2>many.said'
		perfetto_counts many.pftrace <<-END
			$kind-many: of those that nobody can tell apart, none has the arrow of another|0|select count(*) from (select r.id from $arrow group by r.id having count(*) > 1)
		END
		continue
	fi
	fio_on $kind $kind-many 32 --rw=randrw --direct=1
	arrows $kind-many
	fio_on $kind $kind-batch 32 --rw=randrw --direct=1 --iodepth_batch_submit=16 --iodepth_batch_complete_min=8
	arrows $kind-batch
	fio_on $kind $kind-threads 16 --rw=randread --direct=1 --numjobs=3 --thread
	arrows $kind-threads
	fio_on $kind $kind-sqpoll 16 --rw=randread --direct=1 --sqthread_poll=1
	arrows $kind-sqpoll
	fio_on $kind $kind-workers 16 --rw=randread --direct=1 --force_async=1
	arrows $kind-workers
done
