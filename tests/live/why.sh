#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer why` on loads of which it is known what they wait for: the CPU, a device, a journal, another
# process. Its sums are those of schedstat and of the disk's own counters.
# alone: it keeps the CPUs busy, and compares times
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-disks.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-disks.sh"

command -v python3 >/dev/null || skip_all 'no python3'
undo()
{
	umount_images
}
load=$tests_dir/readers/why_load.py

# part DIR COLUMN OPERATION [OPTION]...: ns of that column of `why --csv`
part()
{
	local dir=$1 column=$2 operation=$3

	shift 3
	"$IOTRACER" why "$dir" -q --csv "$@" 2>/dev/null |
		awk -F, -v want="$column" -v operation="$operation" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$1 == operation { print $at[want]; n++ }
			END { if (!n) print 0 }'
}

# share PART WHOLE PERCENT: part is at least that much of it
share()
{
	awk -v part="$1" -v whole="$2" -v percent="$3" 'BEGIN { exit !(whole > 0 && part * 100 >= whole * percent) }'
}

# at_most A B PERCENT SLACK: A is no more than B and so much
at_most()
{
	awk -v a="$1" -v b="$2" -v percent="$3" -v slack="$4" 'BEGIN { exit !(a <= b * (100 + percent) / 100 + slack) }'
}

adds_up() # DIR
{
	local by

	for by in op file process thread waker; do
		"$IOTRACER" why "$1" -q --csv --by "$by" 2>/dev/null | python3 "$tests_dir/readers/why_sums.py" || return
	done
}

# ---- ready, and no CPU

taken=$(not_programs)
hogs=()
for ((i = 0; i < 2 * $(nproc); i++)); do
	(while :; do :; done) &
	hogs+=($!)
	pids+=($!)
done
check 'beside busy loops: recorded' record busy -e why -- python3 "$load" spin "$tmp/spun"
taken=$(($(not_programs) - taken))
kill "${hogs[@]}"
wait "${hogs[@]}" 2>/dev/null
check 'writes waited for a CPU' share "$(part busy runqueue_ns WRITE)" "$(part busy latency_ns WRITE)" 30
check 'all parts add up' adds_up busy

same_in_report()
{
	"$IOTRACER" report busy -q --section why --csv 2>/dev/null | cut -d, -f 1-11 >in-report
	"$IOTRACER" why busy -q --csv 2>/dev/null >in-why
	[ "$(wc -l <in-why)" -gt 3 ] && diff in-why in-report
}
check 'a report has the same numbers' same_in_report
check 'its page has them, too' eval '"$IOTRACER" report busy -q -o busy.html && grep -q "Where the time went" busy.html'

picture()
{
	"$IOTRACER" why busy -q --svg busy.svg && python3 "$tests_dir/readers/svg_checks.py" is_svg busy.svg &&
		[ "$(grep -c '<title>run queue ' busy.svg)" -gt 3 ]
}
check 'a picture of the slowest' picture

# ---- schedstat: what the kernel says of the same thread, which began before tracing did, until just before its end

read -r tid ran_before waited_before _ ran waited _ <"$tmp/spun.times"
"$IOTRACER" why busy -q --csv --by thread 2>/dev/null | awk -F, -v tid="$tid" '$2 == tid { print $6 + $7, $13 }' >ours
read -r ours unknown <ours
echo "thread $tid: $ours ns on a CPU or ready, $unknown not known; $ran + $waited by schedstat, $ran_before + $waited_before before, $taken taken"
# see sched.sh: the kernel's own clock leaves out what interrupts and the host took (here: to the tick of 10 ms of each
# CPU), and stands still in an emulated machine
if [ "${ran:-0}" != 0 ] && [ -z "${VM_RELEASE:-}" ]; then
	slack=$((taken + $(nproc) * 10000000))
	check 'a thread was on a CPU or ready as long as schedstat says' at_most $((ran + waited - ran_before - waited_before)) $((ours + unknown)) 1 "$slack"
	check 'and no longer' at_most "$ours" $((ran + waited)) 25 "$slack"
fi

# ---- another process: it is woken by who has the inode's lock

check 'two writers of one file: recorded' record locked -e why -- python3 "$load" lock "$tmp/locked.file"
"$IOTRACER" why locked -q --csv --slowest 2>/dev/null >slow
"$IOTRACER" why locked -q --by waker 2>/dev/null >wakers
check 'a writer waits for the other one' grep -q 'holder' wakers

# ---- a journal, and a disk

if mount_image ext4; then
	disk=$(stat -c %d ext4)
	disk=$(readlink -f "/sys/dev/block/$((disk >> 8)):$((disk & 255))")
	check 'syncs on ext4: recorded' record synced -e why -- python3 "$load" sync ext4/file
	check 'all parts of syncs add up' adds_up synced
	latency=$(part synced latency_ns FSYNC) known=$((latency - $(part synced unknown_ns FSYNC)))
	check 'nearly all of their time is known' share "$known" "$latency" 97
	check 'a journal is among those that they wait for' grep -q jbd2 <("$IOTRACER" why synced -q --by op --slowest --csv --top 1000 2>/dev/null)

	before=$(awk '{ print $4 }' "$disk/stat")
	check 'direct reads: recorded' record direct -e why -- python3 "$load" direct ext4/file
	took=$(($(awk '{ print $4 }' "$disk/stat") - before))
	ours=$(($(part direct device_ns READ) / 1000000))
	awake=$((($(part direct run_ns READ) + $(part direct runqueue_ns READ)) / 1000000))
	unknown=$(($(part direct unknown_ns READ) / 1000000))
	echo "direct reads: $ours ms asleep for the device, $awake ms not asleep, $unknown not known, $took ms by $disk/stat"
	check 'the device had them no longer than its counters say' at_most "$ours" "$took" 1 2
	# the kernel counts until the request has ended, a while after the event that says so: long in an emulated machine
	[ -n "${VM_RELEASE:-}" ] || check 'and, but for what the reader was awake, as long' at_most "$took" $((ours + awake + unknown)) 5 2
else
	echo 'SKIP: a journal and a disk: no ext4 can be made here'
fi

# ---- a slow disk

if scsi_disk ndelay=50000000 dev_size_mb=16; then
	check 'a slow disk: recorded' record slow-disk --all-fs -e why -- python3 "$load" syncdisk "/dev/$scsi" || cat slow-disk.log
	check 'each of ten syncs had 50 ms of the device' [ "$(part slow-disk device_ns FSYNC)" -ge 500000000 ]
	rmmod scsi_debug
else
	echo 'SKIP: a slow disk: no scsi_debug'
fi

# ---- nobody waits

if command -v fio >/dev/null && [ -z "$(uring_forbidden)" ]; then
	check 'requests of io_uring: recorded' record ring -e why,iouring -- fio --name=a --filename="$tmp/ring.file" --size=2M --rw=randread \
		--ioengine=io_uring --iodepth=8 --bs=4k --output="$tmp/fio.out"
	n=$(cells ring iouring event_type,latency_ns | grep -cP '^COMPLETE\t[0-9]')
	check 'how many, of which it cannot be known, is in the text' \
		grep -q " $n operations of AIO and io_uring" <("$IOTRACER" why ring 2>/dev/null)
	check 'each is one by itself' [ "$(part ring count 'io_uring READ')" = 512 ]
	check 'and none is a READ of fs, too' [ "$(cells ring fs operation,call | grep -cP '^READ\t(?!io_uring)')" = "$(part ring count READ)" ]
	check 'the device has its part' [ "$(part ring device_ns 'io_uring READ')" -gt 0 ]
else
	echo 'SKIP: requests of io_uring: none can be made here'
fi
