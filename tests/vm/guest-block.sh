#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream ds of a whole machine, in tier b: against the kernel's own counters,
# blktrace and fio; stacked devices; errors; discards, zones and commands of
# drivers; sectors above 2 TiB; a request that does not complete.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"
# shellcheck source=devices.sh source-path=SCRIPTDIR
. "${0%/*}/devices.sh"

scratch=/mnt/ext4
disk=$(findmnt -no SOURCE $scratch)
disk=${disk##*/}
dev=$(cat "/sys/block/$disk/dev")
work=/tmp/block
rm -rf $work
mkdir -p $work

# trace NAME OPTION...: into $work/NAME, in the background, until stop NAME
trace()
{
	local dir=$work/$1 i

	shift
	rm -rf "$dir"
	"$iotracer" record -v --no-snapshots --image "$rw/image-b" --no-kprobes -o "$dir" "$@" 2>"$dir.log" &
	tracer=$!
	for ((i = 0; i < 300; i++)); do
		! grep -q 'recording into' "$dir.log" || return 0
		sleep 0.1
	done
	cat "$dir.log"
	return 1
}

stop()
{
	kill -INT "$tracer"
	wait "$tracer"
	cat "$work/$1.log"
}

# Raw programs are there from 4.17 on (and in el8). Without them nobody sees the request itself,
# and a completion that interrupts a program is lost, and counted.
no_raw()
{
	! jq -e '.plan[] | select(.stream == "ds") | .chosen == "BLOCK_RAW"' $work/load/manifest.json >/dev/null
}

# losses NAME: what may be missing from a trace. With raw programs as well: a completion that interrupts
# that of another one, and from 7.2 on an issue while a thread is preempted in its raw program.
losses()
{
	told "$1" ds
}

# told TRACE STREAM: how many rows the trace says that it lost
told()
{
	cells "$work/$1" lost stream,count 2>/dev/null |
		awk -F '\t' -v stream="$2" '$1 == stream { n += $2 } END { print n + 0 }'
}

# ---- a loaded disk ----

# reads, sectors read, sectors written, discards, sectors discarded, flushes. (Not
# writes: the kernel counts an empty preflush, which never reaches the device.)
counters()
{
	awk '{ print $1, $3, $7, $12, $14, $16 }' "/sys/block/$disk/stat"
}

# The same from the rows of the disk. (Kernels before 5.5 count no flushes.)
rows()
{
	cells $work/load ds dev,operation,size | awk -F '\t' -v dev="$dev" '
		$1 != dev { next }
		{ n[$2]++; b[$2] += $3 / 512 }
		END { print n["read"] + 0, b["read"] + 0, b["write"] + 0,
			n["discard"] + 0, b["discard"] + 0, n["flush"] + 0 }'
}

load()
{
	local i writers=()

	for i in 1 2 3 4; do
		dd if=/dev/zero of=$scratch/L$i bs=64k count=100 conv=fsync 2>/dev/null &
		writers+=($!)
	done
	dd if=/dev/zero of=$scratch/D bs=4k count=503 oflag=direct,dsync 2>/dev/null
	wait "${writers[@]}"
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cat $scratch/L* >/dev/null
	rm -f $scratch/L* $scratch/D
	sync
	fstrim $scratch
}

# The load with a scheduler, so that requests wait and are merged; blktrace beside us
run_load()
{
	local blktrace='' i

	echo mq-deadline >"/sys/block/$disk/queue/scheduler"
	sync
	trace load -e ds || return
	sleep 1
	if command -v blktrace >/dev/null; then
		blktrace -d "/dev/$disk" -a complete -D $work -o blk >$work/blktrace.log 2>&1 &
		blktrace=$!
		for ((i = 0; i < 50; i++)); do
			[ ! -d "/sys/kernel/debug/block/$disk/trace0" ] || break
			sleep 0.1
		done
		sleep 0.5
	fi
	counters >$work/before
	load
	counters >$work/after
	sleep 1
	if [ -n "$blktrace" ]; then
		kill -INT "$blktrace"
		wait "$blktrace"
	fi
	stop load
	echo none >"/sys/block/$disk/queue/scheduler"
}

counters_agree()
{
	paste <(tr ' ' '\n' <$work/before) <(tr ' ' '\n' <$work/after) <(rows | tr ' ' '\n') |
		awk -v lost="$(losses load)" '
			$2 != "" {
				print $2 - $1, $3
				bad += lost ? $3 > $2 - $1 : $3 != $2 - $1
			}
			END { exit bad > 0 || NR < 6 }'
}

# What the tables of a long run hold in the end: nothing but what is under way.
nothing_leaks()
{
	sed -n 's/.*left in tables: .* \([0-9]*\) requests.*/\1/p' $work/load.log |
		awk -v lost="$(losses load)" '{ n = $1 } END { exit !(n != "" && n < 8 + lost) }'
}

# Letters, sector and length of every completion that moved data, in any order: CPUs are merged by time
blktrace_agrees()
{
	if [ ! -s $work/blk.blktrace.0 ]; then
		cat $work/blktrace.log
		return 1
	fi
	blkparse -q -i blk -D $work -f '%a\t%d\t%S\t%n\n' | awk -F '\t' '
		BEGIN { word["R"] = "read"; word["W"] = "write"; word["D"] = "discard" }
		$1 == "C" && $4 > 0 { sub("^F", "", $2); print word[substr($2, 1, 1)], $3, $4 * 512 }' | sort >$work/blk.list
	cells $work/load ds dev,operation,sector,size |
		awk -F '\t' -v dev="$dev" '$1 == dev && $4 > 0 { print $2, $3, $4 }' | sort >$work/row.list
	wc -l $work/blk.list
	diff $work/blk.list $work/row.list >$work/blk.diff
	head -n 20 $work/blk.diff
	[ "$(wc -l <$work/blk.list)" -gt 500 ] && ! grep -q '^>' $work/blk.diff &&
		[ "$(grep -c '^<' $work/blk.diff)" -le "$(losses load)" ]
}

# ---- what a request asks ----

# Every row of both traces: the kernel's letters and the bits say the same, and each has its name.
commands_agree()
{
	(cells $work/load ds operation,flags,cmd_flags,op_code; cells $work/devices ds operation,flags,cmd_flags,op_code) |
		awk -F '\t' '
			BEGIN {
				n = split("preflush REQ_PREFLUSH fua REQ_FUA ahead REQ_RAHEAD sync REQ_SYNC meta REQ_META", w, " ")
				for (i = 1; i < n; i += 2) bit[w[i]] = w[i + 1]
			}
			{
				wrong = $4 == "" || $3 == "" || $3 ~ /0x/ || $4 !~ /^REQ_OP_/
				for (word in bit)
					wrong += ("|" $2 "|" ~ "[|]" word "[|]") != ("|" $3 "|" ~ "[|]" bit[word] "[|]")
				op = tolower(substr($4, 8))
				wrong += op != $1 && !($1 == "none" && op ~ /^(scsi|drv)_/)
				count[$4 " " $3]++
				if (wrong && ++bad < 10) print "wrong: " $0
			}
			END { for (c in count) print count[c], c; exit bad > 0 || NR < 500 }'
}

# cannot NAME REASON: what this kernel or machine cannot try
cannot()
{
	echo "$2" >"$work/$1.skip"
}

# claim NAME CLAIM COMMAND...
claim()
{
	local name=$1

	shift
	if [ -s "$work/$name.skip" ]; then
		skip "$1: $(<"$work/$name.skip")"
	else
		check "$@"
	fi
}

# ---- fio ----

# Direct writes of two processes; where the file lies on the disk is known.
fio_joins()
{
	local dir=$work/fio file=$scratch/fio.file first length

	command -v fio >/dev/null || { echo 'no fio'; return 77; }
	dd if=/dev/zero of=$file bs=1M count=8 conv=fsync 2>/dev/null
	filefrag -v -b512 $file >$work/fio.extents
	rm -rf "$dir"
	"$iotracer" record -v --no-snapshots --image "$rw/image-b" --no-kprobes -e fs,ds -o "$dir" -- \
		fio --name=join --filename=$file --ioengine=psync --direct=1 --rw=randwrite --bs=16k --size=4m \
		--numjobs=2 --offset_increment=4m --randseed=7 --output=$work/fio.log || { cat $work/fio.log; return 1; }
	cells "$dir" fs operation,filename,pid,offset,size,return_value,mono_ns,latency_ns |
		awk -F '\t' -v OFS='\t' -v file=$file '$1 == "WRITE" && $2 == file { print $3, $4, $5, $6, $7, $8 }' >$work/fio.fs
	cells "$dir" ds dev,operation,pid,sector,size,mono_ns |
		awk -F '\t' -v OFS='\t' -v dev="$dev" '$1 == dev && $2 == "write" { print $3, $4, $5, $6 }' >$work/fio.ds
	# one whose completion was lost just now is still under way, as far as anybody knows
	: >$work/fio.open
	! no_raw || jq -r --arg dev "$dev" '.under_way[] | select(.device == $dev) | "\(.pid) \(.sector) \(.size)"' \
		"$dir/manifest.json" >$work/fio.open
	# whose calls there are, where some are missing
	cells "$dir" fs operation,filename,path_status,pid | awk -F '\t' '
		$1 ~ /^(OPEN|CLOSE|WRITE)$/ && $2 ~ /fio.file/ { n[$1 " " $2 " " $3 " of " $4]++ }
		$1 == "WRITE" && $2 !~ /fio.file/ { n["WRITE elsewhere of " $4]++ }
		END { for (c in n) print n[c], c }' >$work/fio.calls
	# an extent: number, first and last logical sector, first and last on the disk
	awk -F '\t' -v lost="$(told fio ds)" -v calls_lost="$(told fio fs)" '
		FILENAME ~ /extents$/ {
			if (split($0, x, /[ :.]+/) > 6 && x[2] ~ /^[0-9]+$/) { n++; from[n] = x[3]; to[n] = x[4]; at[n] = x[5] }
			next
		}
		FILENAME ~ /open$/ { open[$0]; next }
		FILENAME ~ /ds$/ {
			key = $1 " " $2 " " $3
			requests++
			end[key, ++count[key]] = $4
			next
		}
		{
			writes++
			for (i = 1; i <= n && !($2 / 512 >= from[i] && ($2 + $3) / 512 - 1 <= to[i]); i++)
				;
			key = $1 " " ($2 / 512 - from[i] + at[i]) " " $3
			if (!(key in count) && key in open) {
				late++
				next
			}
			# the request ended while its call ran
			if (i > n || $4 != $3 || count[key] != 1 || end[key, 1] + 0 < $5 + 0 || end[key, 1] + 0 > $5 + $6)
				if (++bad < 5) print "no request: " $0 " (" key ": " count[key] + 0 ")"
		}
		END {
			print n " extents, " writes " writes and " calls_lost + 0 " lost, " requests " requests and " lost + 0 " lost, " \
				late + 0 " not completed, " bad + 0 " not joined"
			exit !(writes <= 512 && writes + calls_lost >= 512 && requests + lost + late >= writes && bad <= lost)
		}' $work/fio.extents $work/fio.open $work/fio.ds $work/fio.fs >$work/fio.sum && cat $work/fio.sum && return
	paste -sd ';' $work/fio.sum $work/fio.calls
	return 1
}

rm -f $work/*.skip
tier_image b
run_load
check "reads, sectors, discards and flushes of a loaded disk are the kernel's" counters_agree
# 5.9, f3bdc62fd82e; before, an entry of a merged request stays until others need its room
[ -d /sys/kernel/tracing/events/block/block_rq_merge ] || cannot leaks 'no tracepoint block_rq_merge'
claim leaks 'no entry of a merged or requeued request stays' nothing_leaks
if command -v blktrace >/dev/null; then
	check 'every completion of blktrace is a row, one to one' blktrace_agrees
else
	skip 'every completion of blktrace is a row: no blktrace on the host'
fi
devices
! no_raw || cannot command 'no raw tracepoints'
claim command 'cmd_flags and op_code say what the letters say, and no bit is without a name' commands_agree
claim dm 'dm has no rows, nor what it refuses' dm
check 'a loop device and the disk below it have equal bytes' stack
claim mirror 'md has no rows, each half of a mirror has all that was written' mirror
check 'discards and zeroes written by the device have their bytes' discard
claim zones 'zones opened, closed, finished and reset' zones
check 'a full device: errno as its writer saw it' no_space
claim medium 'a bad medium: errno as its reader saw it' medium
claim medium 'commands of a driver have their operation' driver
check 'sectors above 2 TiB' above_2_tib
check 'a request that does not complete is told at the end' hang
check 'direct writes of fio are joined one to one with their requests' again $work/fio fio_joins
