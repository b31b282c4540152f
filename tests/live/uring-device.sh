#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Column uring_req of stream ds: each direct request of the device names the request of io_uring that it is of,
# which is in flight then, and for the place of the file that the file system (filefrag) has at these sectors.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-uring.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-uring.sh"

why=$(uring_forbidden) && skip_all "$why"
for tool in fio filefrag; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
[ "$LIVE_TIER" != c ] || skip_all 'tier c does not tell'
grep -qs ' req;' $events/io_uring_submit_sqe/format $events/io_uring_submit_req/format ||
	skip_all 'this kernel does not tell which request of io_uring is submitted (5.14, late 5.10)'
case $(stat -f -c %T "$tmp") in
ext2/ext3 | xfs) ;;
*) skip_all "neither ext4 nor XFS at $tmp" ;;
esac
start=$(cat "/sys/dev/block/$(mountpoint -d "$(stat -c %m "$tmp")")/start" 2>/dev/null || echo 0)

fallocate -l 32m file && dd if=/dev/zero of=file bs=1M count=32 conv=notrunc 2>dd.log && sync file || exit 1
filefrag -v -b512 file | sed -n 's/^ *[0-9]*: *\([0-9]*\)\.\. *\([0-9]*\): *\([0-9]*\)\.\..*/\1 \2 \3/p' >pieces

fio=(fio --name=x --filename="$tmp/file" --size=32m --bs=4k --blockalign=64k --rw=randrw --number_ios=300 --direct=1 --ioengine=io_uring --iodepth=16)
record_steps s -e iouring,ds -m 1024 <<-END
	plain ${fio[*]} --output=plain.said
	batch ${fio[*]} --output=batch.said --iodepth_batch_submit=8
	workers ${fio[*]} --output=workers.said --force_async=1
	sqpoll ${fio[*]} --output=sqpoll.said --sqthread_poll=1
END
check 'recorded' [ $? = 0 ]

# where the kernel skipped a program of iouring a request has no submission or no end
untold=$(lost s iouring)
# a completion that interrupts the program of another one is hidden from it, and counted as lost
lost=$(lost s ds)
# From 7.2 on: whose a request is that was not seen to be issued, nobody knows; one whose raw program was
# preempted is counted by the next one on its CPU and by itself; a bio that was not seen may have a row.
# So these are not always as many rows, but never fewer than are missing.
unknown=$(lost s ds 'no-entry|skipped')
all=0 wanted=0

# told NAME
told()
{
	local name=$1 total rows unseen status

	check "$name: fio ended well" [ "$(cat "$name.status")" = 0 ]
	step_cells s "$name" iouring event_type,req,offset,mono_ns >requests
	step_cells s "$name" ds cause,uring_req,sector,mono_ns,latency_ms >parts
	awk -F'\t' -v start="$start" -v untold="$untold" '
		FILENAME == "pieces" { split($0, w, " "); from[++n] = w[1]; to[n] = w[2]; at[n] = w[3]; next }
		FILENAME == "requests" && $1 == "SUBMIT" { k[$2]++; begin[$2, k[$2]] = $4; place[$2, k[$2]] = $3 / 512 }
		# a later end is that of a use of the request whose submission was not seen
		FILENAME == "requests" && $1 == "COMPLETE" && ($2, k[$2]) in begin && !(($2, k[$2]) in finish) { finish[$2, k[$2]] = $4 }
		FILENAME != "parts" || $1 != "direct" { next }
		{
			all++
			# its end was not seen: the time is that of the next use of the request, which may be in a later step
			if ($5 == "") { unseen++; next }
			for (i = 1; i <= k[$2]; i++)
				if (begin[$2, i] <= $4 && $4 <= finish[$2, i]) {
					joined++
					for (j = 1; j <= n; j++)
						if (from[j] <= place[$2, i] && place[$2, i] <= to[j])
							right += $3 - start == at[j] + place[$2, i] - from[j]
				}
		}
		# two events have to be missing, an end and the next submission, for one to have the place of the request before
		END { printf "%d direct, %d without an end, %d of a request in flight, %d of the right one\n", all, unseen, joined, right
			exit !(joined && all - unseen - joined <= untold && joined - right <= int(untold / 2)) }' pieces requests parts >told
	status=$?
	check "$name: $(cat told)" [ $status = 0 ]
	step_cells s "$name" ds cause,operation,command | sort | uniq -c | sed "s/^/# $name: /"
	total=$(sed -n 's/.*issued rwts: total=\([0-9]*\),\([0-9]*\),.*/\1 \2/p' "$name.said" | awk '{ n += $1 + $2 } END { print n }')
	read -r rows _ unseen _ <told
	check "$name: no more than fio counts ($total): $rows, of which $unseen without an end" [ $((rows - unseen - unknown)) -le "$total" ]
	all=$((all + rows)) wanted=$((wanted + total))
}

for name in plain batch workers sqpoll; do
	told $name
done
check "as many as fio counts ($wanted): $all, and $lost lost, $unknown of these at most" \
	[ $((all + lost - unknown)) -le "$wanted" -a $((all + lost)) -ge "$wanted" ]
