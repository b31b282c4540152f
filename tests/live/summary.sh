#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --summary: the tables written live are those computed from the rows of the same run, byte
# for byte; --no-rows keeps them alone; a killed run leaves whole files.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
many_files=$tests_dir/live/traced/many_files.py

# same DIR: what was written live is what the rows tell
same()
{
	"$IOTRACER" files "$1" -q --csv >a.csv && "$IOTRACER" files "$1" -q --csv --histograms >b.csv &&
		"$IOTRACER" files "$1" -q --csv --errors >c.csv &&
		[ "$(wc -l <a.csv)" -gt 300 ] && [ "$(wc -l <c.csv)" -gt 1 ] &&
		cmp a.csv "$1/summary/files.csv" && cmp b.csv "$1/summary/file_histograms.csv" &&
		cmp c.csv "$1/summary/file_errors.csv"
}

record trace -e fs --summary --summary-interval 1 --rotate-rows 500 -- python3 "$many_files" 1500 0.001
check 'no event was lost' no_loss trace
check 'written live and computed from the rows: the same bytes' same trace
check 'the closing lines name the busiest files, as files does' sh -c '
	sed -n "s/.*written: //p" trace.log >said
	tail -n +2 trace/summary/files.csv | head -3 | cut -d, -f2 | cmp - said && grep -q "iotracer files trace" trace.log' -
check 'the directory verifies, checksums of the tables included' "$IOTRACER" verify -q trace
check 'the manifest and the data package tell of them' python3 "$tests_dir/readers/summary_checks.py" package_has_tables
cp -a trace changed
echo >>changed/summary/files.csv
check 'a table that was changed does not verify' sh -c '! "$1" verify -q changed 2>log && grep -q "summary/files.csv: the checksum" log' - "$IOTRACER"

record few -e fs --summary --summary-files 20 --summary-interval 1 --rotate-rows 500 -- python3 "$many_files" 1500 0.001
check 'with few files in memory: no event was lost' no_loss few
check 'with few files in memory: the same bytes' same few
check 'with few files in memory: the others left and came back' python3 "$tests_dir/readers/summary_checks.py" left_and_came_back
check 'with few files in memory: the directory verifies, and has nothing else' sh -c '
	"$1" verify -q few && [ "$(ls -A few/summary | wc -l)" = 3 ]' - "$IOTRACER"

record bounded -e fs --summary --summary-files 20 --max-disk 1M --rotate-rows 500 -- python3 "$many_files" 6000 0
check '--max-disk counts the tables: old segments go' python3 "$tests_dir/readers/summary_checks.py" old_segments_go

corpus hidden
check 'anonymised: the same bytes' same hidden
check 'anonymised: no name' sh -c '! grep -rq -e "$1" -e many_files hidden/summary' - "$at"

head -1 trace/summary/files.csv >header
record bare -e fs --no-rows --summary=files -- python3 "$many_files" 400 0
check 'without rows: no segment' sh -c '! ls bare/fs 2>/dev/null | grep -q .'
check 'without rows: counted' python3 "$tests_dir/readers/summary_checks.py" rows_not_kept
check 'without rows: the sums are those of the program' sh -c 'grep "/held," bare/summary/files.csv | cut -d, -f15,18 | grep -qx "400,4000"'
check 'without rows: verifies' "$IOTRACER" verify -q bare
check 'without rows: files tells what the tables have, byte for byte' same bare
check 'without rows: and says what they are' sh -c '
	"$1" files bare --path held >text && grep -q "rows were added up and not kept" text && grep -q " 400 *3.9K .*/held$" text' - "$IOTRACER"
check 'without rows: as JSON' python3 "$tests_dir/readers/summary_checks.py" without_rows_as_json "$IOTRACER"
check 'without rows: of some files, by a column' sh -c '
	"$1" files bare -q --csv --path "d1*" --sort writes >some.csv && head -1 some.csv | cmp - header &&
	tail -n +2 some.csv | cut -d, -f2 | sort >found && tail -n +2 bare/summary/files.csv | cut -d, -f2 | grep "/d1[^/]*$" | sort | cmp - found' - "$IOTRACER"
# without ARG...: files does not answer, and says why
without() { "$IOTRACER" files bare "$@" >out.csv 2>log; [ $? = 1 ] && [ ! -s out.csv ] && grep -q 'its rows were not kept' log; }
check 'without rows: refused by directory' without --by dir
check 'without rows: refused by process' without --by pid
check 'without rows: refused for one process' without -p 1
check 'without rows: refused for a time' without --from +1s
check 'without rows: refused beside another of its host' without bare
cp -a bare torn
head -c 3000 bare/summary/file_histograms.csv >torn/summary/file_histograms.csv
echo 1,2 >>torn/summary/file_errors.csv
check 'without rows: damage is told, the rest computed' sh -c '
	"$1" files torn --csv >torn.csv 2>log
	[ $? = 1 ] && cmp torn.csv bare/summary/files.csv && grep -q "1 rows are damaged" log' - "$IOTRACER"
rm torn/summary/files.csv
check 'without rows: without its table' sh -c '! "$1" files torn >out.csv 2>log && grep -q "torn/summary/files.csv: No such file" log' - "$IOTRACER"

python3 "$many_files" 10000 0.002 &
pids+=($!)
record_in_background killed -e fs --summary --summary-interval 1 --no-rows -p $!
check 'tables come while it records' eventually 20 sh -c \
	'[ "$(cat killed/summary/files.csv 2>/dev/null | wc -l)" -gt 10 ]'
kill -KILL "$tracer"
wait "$tracer" 2>/dev/null
check 'a killed run leaves whole tables' python3 "$tests_dir/readers/summary_checks.py" whole_after_a_kill

refuse() { "$IOTRACER" record -o refused "$@" -- true >out.log 2>&1; [ $? = 2 ] && [ ! -e refused ]; }
check 'refused: --no-rows alone' refuse --no-rows
check 'refused: an unknown summary' refuse --summary=colours
check 'refused: without fs' refuse --summary -e ds
