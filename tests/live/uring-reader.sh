#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer uring`: as many requests as fio counts itself, in each ring; percentiles, calls, ways and
# errors as they are in the rows; the same numbers as CSV, as JSON and for people.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

why=$(uring_forbidden) && skip_all "$why"
command -v fio >/dev/null || skip_all 'fio is not installed'
[ -d /sys/kernel/tracing/events/io_uring ] || [ "$LIVE_TIER" = a ] || skip_all 'this kernel has no events of io_uring'
fio --name=x --filename="$tmp/file" --size=4m --rw=write --bs=64k --ioengine=psync >fio.log 2>&1 ||
	skip_all 'fio cannot write here'
fio --name=x --filename="$tmp/file" --size=4k --rw=read --ioengine=io_uring >fio.log 2>&1 ||
	skip_all 'io_uring is not allowed here'

# told COLUMN FILTER: a column of ours, of rings ("") or of an opcode
told()
{
	column "$1" opcode="$2" <ours | xargs
}

# ring NAME JOBS [OPCODE]...
ring()
{
	local name=$1 jobs=$2

	shift 2
	[ $# -gt 0 ] || set -- READ WRITE
	corpus "$name" || return
	check "$name: CSV" eval '"$IOTRACER" uring "$name" --csv >ours 2>said'
	equal "$name: a row for each ring" "$jobs" "$(told ring '' | wc -w)"
	jq -r '.jobs[] | .read.total_ios, .write.total_ios' "$name.json" | sort -n >theirs
	equal "$name: reads and writes of each job as fio counts them" "$(xargs <theirs)" \
		"$(for op; do told requests $op; done | tr ' ' '\n' | sort -n | xargs)"
	equal "$name: all have completed" "$(told requests '')" "$(told completed '')"
	check "$name: none is open or without a submission" [ "$(told open '' | tr -d '0 ')$(told unmatched '' | tr -d '0 ')" = '' ]
	check "$name: never more in flight than fio lets" eval \
		'for n in $(told in_flight_max ""); do [ "$n" -ge 1 ] && [ "$n" -le 16 ] || exit 1; done'
	equal "$name: as many calls as rows" "$(cells "$name" iouring event_type | grep -c '^ENTER$')" \
		"$(told calls '' | tr ' ' '\n' | awk '{ n += $1 } END { print n }')"
}

command -v jq >/dev/null || skip_all 'jq is not installed'
ring plain 1
# as they are in the rows: the exact percentile, and ours at most 3.2 % above it
cells plain iouring event_type,latency_ns | awk '$1 == "COMPLETE" { print $2 }' | sort -n >latencies
for p in 50 95 99; do
	exact=$(awk -v p=$p '{ v[NR] = $1 } END { k = int(NR * p / 100); if (k < NR * p / 100) k++; print v[k] }' latencies)
	ours=$(told p${p}_ns '')
	check "plain: p$p is that of the rows ($ours of $exact)" [ $((ours >= exact && ours <= exact * 1032 / 1000 + 1)) = 1 ]
done
equal 'plain: the longest is that of the rows' "$(tail -n 1 latencies)" "$(told max_ns '')"
cells plain iouring event_type,req,user_data >rows
equal 'plain: by workers as many as were given to some' "$(awk '$1 == "QUEUE_ASYNC" { n++ } END { print n + 0 }' rows)" \
	"$(told worker '')"
check 'plain: JSON has the same numbers' eval '"$IOTRACER" uring plain --json >json 2>/dev/null
	[ "$(jq -r ".rings[0].requests, .rings[0].p99_ns, .rings[0].max_ns, .rings[0].calls" json | xargs)" = \
	"$(told requests "") $(told p99_ns "") $(told max_ns "") $(told calls "")" ]'
check 'plain: JSON has what the trace lacks' jq -e '.traces[0].lost' json >lost
check 'plain: people see it, too' eval '"$IOTRACER" uring plain >text && grep -q "^ *$(told requests "") .* all *fio" text &&
	grep -q "rows of iouring" text'
ring fixed 1 READ_FIXED WRITE_FIXED
ring sqpoll 1
ring two 2

# ---- added up otherwise, sorted, chosen ----

# told_by KEY COLUMN: of all that --by KEY tells of all opcodes
told_by()
{
	local all=(opcode=)

	[ "$1" != opcode ] || all=()
	"$IOTRACER" uring two --csv --by "$1" 2>said | column "$2" "${all[@]}" | xargs
}

cells two iouring event_type,pid,opcode,filename,latency_ns >rows
equal 'by process: as many requests as rows of each' "$(awk -F'\t' '$1 == "SUBMIT" { n[$2]++ } END { for (p in n) print n[p] }' rows | sort -rn | xargs)" \
	"$(told_by process requests)"
equal 'by opcode: as many as rows of each' "$(awk -F'\t' '$1 == "SUBMIT" { n[$3]++ } END { for (o in n) print o, n[o] }' rows | sort -k 2rn | xargs)" \
	"$(paste -d ' ' <(told_by opcode opcode | tr ' ' '\n') <(told_by opcode requests | tr ' ' '\n') | xargs)"
equal 'by file: all are of one' "$at/file $(grep -c ^SUBMIT rows)" "$(told_by file filename) $(told_by file requests)"
equal 'by host: all of them' "$(grep -c ^SUBMIT rows) $(grep -c ^ENTER rows)" "$(told_by host requests) $(told_by host calls)"
for key in ring process file opcode host; do
	check "by $key: for people" eval '"$IOTRACER" uring two --by $key >text && grep -q "OPCODE" text && "$IOTRACER" uring two --by $key --json | jq -e . >json'
done
check 'another key is refused' eval '! "$IOTRACER" uring two --by nonsense 2>said && grep -q "ring, process, file, opcode, host" said'
equal 'sorted by the slowest' "$(awk -F'\t' '$1 == "COMPLETE" && $5 > most[$2] { most[$2] = $5 } END { for (p in most) print most[p] }' rows | sort -rn | xargs)" \
	"$("$IOTRACER" uring two --csv --by process --sort max_ns 2>said | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "max_ns") k = i } $3 == "" { print $k }' | xargs)"
check 'another column is refused' eval '! "$IOTRACER" uring two --sort nonsense 2>said && grep -q "unknown column .nonsense." said'
for glob in '*/file' file "$at/f*"; do
	equal "of the file: $glob" "$(grep -c ^SUBMIT rows)" \
		"$("$IOTRACER" uring two --csv --by host --path "$glob" 2>said | awk -F, 'NR == 2 { print $3 }')"
done
equal 'of no such file' '' "$("$IOTRACER" uring two --csv --path '*/other' 2>said | sed 1d)"

# Two directories are a fleet
check 'a fleet has hosts' eval '"$IOTRACER" uring plain two --csv 2>said | sed 1q | grep -q ^host,ring,'

uring=$(program conform_uring -I"$tests_dir" -I"$tests_dir/..") && "$uring" "$tmp" >alone 2>alone.log
# shellcheck disable=SC2181 # both
if [ $? = 0 ]; then
	corpus ways || exit
	"$IOTRACER" uring ways --csv >ours 2>said
	cells ways iouring event_type,result >rows
	for what in 'cancelled == -125' 'failed != -125'; do
		equal "ways: ${what% *-125} as in the rows" \
			"$(awk "\$1 == \"COMPLETE\" && \$2 < 0 && \$2 ${what#* } { n++ } END { print n + 0 }" rows)" \
			"$(told "${what%% *}" '' | tr ' ' '\n' | awk '{ n += $1 } END { print n }')"
	done
	check 'ways: errors have their names' grep -q 'ETIME 1' ours
	check 'ways: links are counted' [ "$(told linked '' | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" -ge 4 ]
	check 'ways: a poll is told' [ "$(told poll '' | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" -ge 1 ]
else
	skip "requests in every way: $(tail -n 1 alone)"
fi

corpus only-fs
check 'a trace without iouring says what to do' eval '! "$IOTRACER" uring only-fs 2>said && grep -q "record with -e iouring" said'
