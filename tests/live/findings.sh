#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `iotracer report` finds wrong: programs with a fault each, and programs that have none.
# alone: it keeps the CPUs busy, and what is found depends on times
. "$(dirname "$0")/lib.sh"

# shellcheck source=lib-disks.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-disks.sh"

command -v python3 >/dev/null || skip_all 'no python3'
queue=
undo()
{
	umount_images
	[ -z "$queue" ] || losetup -d "$queue"
}
head -c 16777216 /dev/urandom >data
cp data index
cp data original
cp data often
cp data mapped

# found DIR [OPTION]...: "id severity subject" of each
found()
{
	"$IOTRACER" report "$1" -q -n 0 --section findings --csv "${@:2}" | python3 -c 'import csv, sys
for r in csv.DictReader(sys.stdin): print(r["id"], r["severity"], r["subject"])'
}

# ---- faults, each in a program of its own

kinds='one_byte small_reads small_writes syncs locks missing churn stats tiny_sends leak out_of_descriptors random_reads again random_writes rewrites copy refused polls major_faults'
check 'recorded' record faults -e fs,ds,sched,nw,nw_conn,nw_epoll,pagefault,exec -m 16384 -- \
	sh -c 'for kind in '"$kinds"'; do python3 "$0" $kind || exit; done; sync -f data' "$tests_dir/readers/faults.py"
# what costs a thousandth of so many programs is one here
echo "severity.low 0" >all
found faults --limits all >found
# what waits for a CPU, by itself: where the machine is slow all other calls take their time, too
check 'recorded: one CPU for five' record starved -e fs,sched -- python3 "$tests_dir/readers/faults.py" starved
found starved >starved.found
check "cpu-starved ($(grep ^cpu starved.found))" grep -qE '^cpu-starved (medium|high) CPUs$' starved.found
while read -r rule; do
	check "found: $rule" grep -qE "^$rule" found
done <<'END'
one-byte-calls (low|medium|high) one_byte \(
small-reads (low|medium|high) small_reads \(
small-writes (low|medium|high) small_writes \(
sync-bound (low|medium|high) syncs \(
lock-wait (low|medium|high) locks \(
missing-paths (low|medium|high) missing \(
open-churn (low|medium) .*/log$
stat-storm (low|medium) stats \(
tiny-sends (low|medium|high) connections$
leaked-descriptors medium leak \(
errors high EMFILE$
random-reads (low|medium|high) .*/index$
re-reads (low|medium|high) .*/often$
random-writes (low|medium|high) .*/table$
rewrites (low|medium) .*/head$
user-copy (low|medium) .*/copy$
refused medium connections$
idle-polls (low|medium) polls \(
END
if cells faults pagefault command,severity | grep -q "^major_faults	MAJOR"; then
	check 'found: major-faults' grep -qE '^major-faults (low|medium|high) major_faults \(' found
else
	skip 'which faults wait for a device is not known here'
fi
# a fault is found where it is, and nowhere else
check "each in its program ($(grep -cE '^(one-byte|small-)' found) of 3)" [ "$(grep -cE '^(one-byte|small-)' found)" = 3 ]
check "no other file ($(grep -cE '^(rewrites|open-churn|user-copy)' found) of 3)" [ "$(grep -cE '^(rewrites|open-churn|user-copy)' found)" = 3 ]

# numbers that are lower find more, and are those of whoever asks
printf 'amplified.bytes 65536\ndevice.requests 1\ndevice.ms 0.000001\ndevice.rotating_ms 0.000001\n' >limits
if [ "$(n_rows faults ds)" = 0 ]; then
	skip "what $tmp is on has no requests of its own"
else
	found faults --limits limits >lower
	check 'a lower limit: device-slow' grep -q '^device-slow' lower
	check 'and not with the usual ones' [ "$(grep -c '^device-slow' found)" -lt "$(grep -c '^device-slow' lower)" ]
fi
if [ "$(n_rows faults ds)" != 0 ]; then
	check 'recorded: small writes, each to the disk' record small -e fs,ds,exec -- \
		sh -c 'python3 "$0" dsync; sync -f dsynced' "$tests_dir/readers/faults.py"
	found small --limits limits >small.found
	check "amplified ($(grep amplified small.found))" grep -q '^amplified high write$' small.found
	check 'what is below 64M is none' eval '! found small | grep -q ^amplified'
fi
mkdir -p home/.config/iotracer
printf 'leak.files 1000000\n' >home/.config/iotracer/findings.conf
check "one's own numbers" eval '! HOME=$tmp/home found faults | grep -q ^leaked'
printf 'leek.files 1\n' >wrong
"$IOTRACER" report faults --limits wrong >out 2>said
equal 'a name that is none is refused' 2 $?
check 'and where it is' grep -q '^iotracer: wrong:1: unknown name' said

# ---- requests: how many there are at once, and in how many calls

faults=$tests_dir/readers/faults.py
# busy_percent DIR: of the time from its first row to the last, in which a disk had requests
busy_percent()
{
	{
		cells "$1" fs mono_ns
		cells "$1" ds mono_ns,latency_ms | awk '$2 { printf "%d %d\n", $1 - 1000000 * $2, $1 }' | sort -n
	} | awk '
		{ if (!first || $1 < first) first = $1; if ($NF > last) last = $NF }
		NF == 2 { if ($1 > end) { sum += end - begin; begin = $1 } if ($2 > end) end = $2 }
		END { printf "%d\n", 100 * (sum + end - begin) / (last - first) }'
}
# of a trace that begins with the start of an interpreter
printf 'busy.share 0.5\nserial.share 0.3\ntcp.resent 4\n' >requests
if [ "$(n_rows faults ds)" != 0 ]; then
	check 'recorded: many direct reads at once' record busy -e fs,ds,sched -- python3 "$faults" busy
	found busy --limits requests >busy.found
	percent=$(busy_percent busy)
	if [ "$percent" -ge 55 ]; then
		check "device-busy ($percent %: $(cut -d' ' -f 1 busy.found | paste -sd' '))" grep -q '^device-busy low ' busy.found
	else
		skip "the disk was not busy ($percent % of the time)"
	fi
	check 'and not one at a time' eval '! grep -q ^serial busy.found'
	check 'recorded: one after the other' record serial -e fs,ds,sched -- python3 "$faults" serial
	found serial --limits requests >serial.found
	percent=$(busy_percent serial)
	if [ "$percent" -ge 40 ]; then
		check "serial-io ($percent %: $(cut -d' ' -f 1 serial.found | paste -sd' '))" grep -q '^serial-io low reads$' serial.found
	else
		skip "a reader did not wait for the disk ($percent % of the time)"
	fi
	check 'which is no busy device' eval '! grep -q ^device-busy serial.found'
fi
# a sync takes no time where there is no disk, or one with a large memory
if [ "$(n_rows faults ds)" != 0 ]; then
	check 'recorded: syncs beside changes' record stalls -e fs -- python3 "$faults" stalls
	found stalls >stalls.found
	slow=$(cells stalls fs operation,latency_ns | awk '$1 == "FSYNC" && $2 > 5000000' | grep -c ^)
	# what half of the calls take at most, in us, and how many of the slow ones have no sync beside them
	usual=$(cells stalls fs operation,latency_ns | awk '$1 == "TRUNCATE" { print $2 }' | sort -n |
		awk '{ took[NR] = $1 } END { print int(took[int((NR + 1) / 2)] / 1000) }')
	read -r alone all < <(cells stalls fs operation,mono_ns,latency_ns | awk '
		$1 == "FSYNC" { begin[++n] = $2; end[n] = $2 + $3 }
		$1 == "TRUNCATE" && $3 >= 1000000 { at[++all] = $2; until[all] = $2 + $3 }
		END {
			for (i = 1; i <= all; i++) {
				for (j = 1; j <= n && (at[i] >= end[j] || until[i] <= begin[j]); j++);
				alone += j > n
			}
			print alone + 0, all + 0
		}')
	if [ "$slow" -lt 15 ]; then
		skip "syncs take no time here ($slow of 25 take 5 ms)"
	elif [ "$usual" -gt 90 ] || [ $((20 * alone)) -gt "$all" ]; then
		skip "a machine whose calls wait for other reasons (usually $usual us, $alone of $all slow ones with no sync)"
	else
		check "sync-stalls-others ($usual us, $alone of $all: $(paste -sd';' stalls.found))" grep -qE '^sync-stalls-others (low|medium|high) TRUNCATE$' stalls.found
	fi
fi

# A scheduler that holds a thousand requests before a device that takes 128 at a time
dd if=/dev/urandom of=queue.image bs=1M count=64 conv=fsync 2>/dev/null # a hole is read as fast as it is asked for
if ! command -v fio losetup >/dev/null || ! queue=$(losetup -f --show --direct-io=on queue.image 2>/dev/null); then
	queue=
	skip 'no loop device that fio reads'
elif ! { echo mq-deadline >"/sys/block/${queue##*/}/queue/scheduler" &&
	echo 1024 >"/sys/block/${queue##*/}/queue/nr_requests"; } 2>/dev/null; then
	skip 'no queue of a thousand requests'
else
	deep=(fio --name=queueing "--filename=$queue" --size=64M --number_ios=6000 --bs=4k --rw=randread --direct=1 --ioengine=libaio)
	check 'recorded: a thousand requests at once' record queueing -e fs,ds -- "${deep[@]}" --iodepth=1000 --iodepth_batch_submit=500 --iodepth_low=500
	found queueing >queueing.found
	# a machine that asks slower than it reads has no queue
	read -r waited served < <(cells queueing ds dev,queue_time_ms,latency_ms | awk -v dev="$(stat -c %Hr:%Lr "$queue")" '
		$1 == dev { waited += $2; served += $3 }
		END { print int(waited), int(served) }')
	if [ "$waited" -ge $((served * 5 / 4)) ]; then
		check "queueing ($waited ms, served in $served: $(paste -sd';' queueing.found))" grep -q "^queueing low ${queue##*/}\$" queueing.found
	else
		skip "requests were asked for as slowly as they were served ($waited ms in the queue, $served in the device)"
	fi
	check 'recorded: sixteen at once' record shallow -e fs,ds -- "${deep[@]}" --iodepth=16
	check 'which do not wait' eval '! found shallow | grep -q ^queueing'
fi

# A disk of its own that may have 4 MiB of dirty pages (from 6.2 on): sleeps that end while another thread has the CPU
# are taken for woken by it
printf 'throttled.ms 50\nthrottled.share 0.05\n' >dirty
if ! mount_image ext4; then
	skip 'no file system on a loop device'
else
	bdi=/sys/class/bdi/$(mountpoint -d ext4)
	if { echo 1 >"$bdi/strict_limit" && echo 4194304 >"$bdi/max_bytes"; } 2>/dev/null; then
		check 'recorded: more writes than a disk takes' record throttled -e fs,ds,sched -- python3 "$faults" throttled
		found throttled --limits dirty >throttled.found
		# on its file alone; writes on a busy machine take long for other reasons
		read -r asleep took < <("$IOTRACER" why throttled -q --csv --path '*/throttled' --by waker | awk -F, '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ took += $at["latency_ns"] / 1000000 }
			$1 == "" { asleep = $at["wait_ns"] / 1000000 }
			END { print int(asleep), int(took) }')
		if [ "$asleep" -ge 100 ] && [ "$asleep" -ge $((took / 10)) ]; then
			check "dirty-throttled ($asleep of $took ms: $(cut -d' ' -f 1 throttled.found | paste -sd' '))" grep -q '^dirty-throttled low throttled (' throttled.found
		else
			skip "other programs had the CPUs when sleeps ended ($asleep of $took ms known)"
		fi
	else
		skip 'no limit of dirty pages for one disk'
	fi
	umount ext4 && mounted_images=()
fi

# ---- pages, and what is deleted

printf 'ahead.pages 64\nheld.bytes 8388608\n' >pages
check 'recorded: pages' record memory -e fs,ds,cache -- sh -c 'for kind in cold ahead misaligned; do
	python3 "$0" $kind || exit; done; python3 "$0" held & until [ -e held ]; do sleep 0.1; done' "$faults"
rm -f held # whose writer then ends
found memory --limits pages >memory.found
# on a kernel without lookups or sizes in its rows nothing can be said
if [ "$(cells memory cache event_type | grep -c '^HIT')" = 0 ]; then
	skip 'which pages are looked up is not known here'
else
	check "readahead-waste ($(cut -d' ' -f 1 memory.found | paste -sd' '))" grep -qE '^readahead-waste (low|medium) .*/mapped$' memory.found
fi
if [ "$LIVE_TIER" = c ]; then
	check 'what is deleted is not known in tier c' eval '! grep -q ^held-deleted memory.found'
else
	check 'held-deleted' grep -qE '^held-deleted low .*/deleted$' memory.found
fi
if [ "$(n_rows memory ds)" != 0 ]; then
	check 'misaligned' grep -qE '^misaligned (low|medium|high) .*/original$' memory.found
fi
if ! cells memory cache size | grep -q '^[0-9]'; then
	check 'how large files are is not known here' eval '! grep -q ^cold-cache memory.found'
else
	check "cold-cache ($(cut -d' ' -f 1 memory.found | paste -sd' '))" grep -qE '^cold-cache (low|medium) .*/often$' memory.found
fi

if reason=$(uring_forbidden); then
	skip "$reason"
elif ! python3 "$tests_dir/readers/uring_faults.py" single 2>refusal; then
	skip "io_uring: $(cat refusal)"
else
	check 'recorded: io_uring' record uring -e iouring -- \
		sh -c 'for kind in single punted overflow; do python3 "$0" $kind || exit; done' "$tests_dir/readers/uring_faults.py"
	found uring >uring.found
	check 'uring-batch-of-one' grep -q '^uring-batch-of-one low single (' uring.found
	check 'uring-punted' grep -q '^uring-punted medium punted NOP$' uring.found
	check 'cq-overflow' grep -q '^cq-overflow medium overflow (' uring.found
	check 'and no others' [ "$(grep -c ^ uring.found)" = 3 ]
fi
if ! command -v nft unshare ip >/dev/null || ! unshare -n nft add table inet t 2>/dev/null; then
	skip 'no network that loses anything (nft, unshare)'
else
	# of the whole machine: which task sends again is an accident
	check 'tracing a network' record_in_background lossy -e nw,nw_drop
	unshare -n python3 "$faults" lossy
	status=$?
	end_tracer
	found lossy --limits requests >lossy.found
	if [ "$status" = 77 ]; then
		skip 'nft cannot lose one of ten'
	else
		check "retransmits ($(cat lossy.found))" grep -qE '^retransmits (low|medium|high) TCP 127.0.0.1:5000 |^retransmits .* 127.0.0.1:5000$' lossy.found
	fi
fi

# what the trace itself lacks
cp -r faults incomplete && python3 "$tests_dir/readers/manifest_checks.py" add_loss incomplete fs ring 12345
found incomplete >incomplete.found
check 'what was lost can hide others' grep -qE '^this-trace (low|medium) trace$' incomplete.found
check 'and nothing is said without' eval '! grep -q ^this-trace found'

# ---- exit status, first screen, page

"$IOTRACER" report faults -q --fail-on high >out
equal 'exit status of something high' 3 $?
check 'said before all tables' eval 'sed "/^LAYER/Q" out | grep -q "^high .*EMFILE"'
check 'with the command that shows more' grep -q ': iotracer report faults --section errors' out
check 'the same in JSON' eval '"$IOTRACER" report faults -q --json | python3 "$tests_dir/readers/findings_checks.py" json'
check 'every command works' python3 "$tests_dir/readers/findings_checks.py" commands "$IOTRACER" faults
check 'and on the page' eval '"$IOTRACER" report faults -q -o page.html && grep -q "What is wrong" page.html && grep -q EMFILE page.html'

# ---- no false alarm

# quiet NAME COMMAND...: nothing above low
quiet()
{
	local name=$1

	# without sched: the machine may be as busy as it likes
	if ! record "$name" -e fs,ds,exec,nw,nw_conn -m 8192 -- "${@:2}" >said 2>&1; then
		check "$name: recorded ($(tail -n 1 "$name.log"))" false
		return
	fi
	found "$name" | grep -v ' low ' >above
	check "$name has nothing above low ($(paste -sd';' above))" [ ! -s above ]
}

quiet tar tar cf archive.tar -C "$tests_dir" live readers vm hosts
quiet untar sh -c 'mkdir there && tar xf archive.tar -C there'
quiet dd dd if=/dev/zero of=sequential bs=1M count=128 status=none
quiet sleep sleep 1
cp -r sleep few && python3 "$tests_dir/readers/manifest_checks.py" add_loss few fs ring 900
check 'a few lost events are much of a short trace, and no more than low' grep -q '^this-trace low trace$' <(found few)
cp -r sleep lots && python3 "$tests_dir/readers/manifest_checks.py" add_loss lots fs ring 1100
check 'many are more' grep -qE '^this-trace medium trace$' <(found lots)
! command -v sqlite3 >/dev/null || quiet sqlite sh -c 'echo "create table t(a, b); begin;
with recursive c(i) as (select 1 union all select i + 1 from c where i < 50000) insert into t select i, i || i from c;
commit; select count(*) from t;" | sqlite3 one.db'
if command -v git >/dev/null; then
	git init -q repository && cp -r "$tests_dir"/{live,readers} repository/ && git -C repository add . &&
		git -C repository -c user.name=t -c user.email=t@t commit -qm t
	quiet clone git clone -q --no-local repository cloned
fi
"$IOTRACER" report sleep -q --fail-on low >out
equal 'and without any, success' 0 $?
