#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --stacks: the functions of a program with frame pointers, one within the other, from rows to
# report --section stacks and --folded; what one without them lacks is said; only those that are
# asked for have a row, and its operation has one of fs.
. "$(dirname "$0")/lib.sh"

# shellcheck source=lib-perfetto.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-perfetto.sh"

tools=$(cd "$(dirname "$IOTRACER")" && pwd)
[ -n "${IOTRACER_SYMBOLS:-}" ] || export IOTRACER_SYMBOLS=$tools/iotracer-symbols

# compiled NAME FLAG...: the program
compiled()
{
	local name=$1

	shift
	"${cc[@]}" -D_GNU_SOURCE -O1 -fno-optimize-sibling-calls "$@" -o "$name" "$tests_dir/conform/conform_frames.c" >cc.log 2>&1
}
compiled frames -fno-omit-frame-pointer || skip_all 'conform_frames cannot be compiled'
compiled bare -O2 -fomit-frame-pointer || skip_all 'conform_frames cannot be compiled'

# traced DIR PROGRAM OPTION...: until it has 20 rows of stacks
traced()
{
	local dir=$1 program=$2 pid

	shift 2
	"./$program" "$program.dat" &
	pid=$!
	pids+=("$pid")
	record_in_background "$dir" -e fs,exec,stacks -p "$pid" "$@" || return
	eventually 20 has_rows "$dir" 20 || return
	end_tracer || return
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	return 0
}

has_rows()
{
	[ "$(find "$1/stacks" -type f -exec cat {} + 2>/dev/null | wc -l)" -gt "$2" ]
}

# functions DIR OPERATION: of each stack, as report names them without what the C library and the kernel have, by count
functions()
{
	"$IOTRACER" report "$1" --section stacks --csv >"$1.csv" &&
		python3 "$tests_dir/readers/stacks.py" functions "$2" main outermost middle innermost <"$1.csv"
}

traced all frames --stacks=1 || fail 'traced all'
check 'nothing was lost' no_loss all
check 'each row has one of fs, by thread and time' [ -z "$(cells all stacks tid,mono_ns,operation | sort |
	comm -23 - <(cells all fs tid,mono_ns,operation | sort))" ]
check 'as many as fs has' [ "$(n_rows all stacks)" = "$(n_rows all fs)" ]
check 'files, and build ids of those that have one' grep -q \
	"frames $(readelf -n frames | sed -n 's/.*Build ID: //p')" <(cells all stacks modules)
check 'the same stack has the same number' [ "$(cells all stacks user_stack,modules,stack | sort -u | cut -f3 | sort | uniq -d | wc -l)" = 0 ]
# of places: from the program's file alone
places=$(cells all stacks operation,user_stack | awk -F'\t' '$1 == "WRITE" { print $2; exit }')
echo "WRITE: $places"
check 'places in the file are those of the functions' [ "$(tr ';' '\n' <<<"$places" | sed -n 's/^frames+//p' |
	xargs addr2line -f -e frames | sed -n 'p;n' | grep -xE 'main|outermost|middle' | paste -sd' ')" = 'main outermost middle' ]

if [ -x "$IOTRACER_SYMBOLS" ]; then
	# the C library has no frame of its own: who called it, tiers a and b read from the stack
	wanted_write='main outermost middle' wanted_sync='main'
	[ "$LIVE_TIER" = c ] || [ "$(uname -m)" != x86_64 ] || wanted_write+=' innermost' wanted_sync+=' outermost'
	write=$(functions all '.*pwrite.*' | sort -u)
	sync=$(functions all '(__GI_)?(__)?fsync' | sort -u)
	check "the frames of a write: $write" [ "$write" = "$wanted_write" ]
	check "the frames of a sync: $sync" [ "$sync" = "$wanted_sync" ]
	check 'where it slept in the kernel' grep -q 'fsync.*_\[k\];.*schedule_\[k\]' all.csv
	"$IOTRACER" report all --folded >folded
	check 'folded: a line is frames and a number' [ "$(grep -vcE '^frames;[^ ]*[^;] [0-9]+$' folded)" = 0 ]
	check 'folded: all the time of fs is there' [ "$(awk '{ n += $NF } END { print n }' folded)" = \
		"$(cells all stacks latency_ns | awk '{ n += $1 } END { print n }')" ]
	check 'nothing of it is missing' [ -z "$("$IOTRACER" report all --section missing --csv | grep '^stacks,frames')" ]
	# on another machine
	IOTRACER_SYMBOLS=$tmp/none "$IOTRACER" report all --section stacks --csv >recorded.csv 2>recorded.log
	check 'names that were looked up when the recording ended are enough' cmp all.csv recorded.csv
	check 'and nothing is said' [ ! -s recorded.log ]
	check 'verify knows them' "$IOTRACER" verify -q all
	check 'drawn as a timeline' "$IOTRACER" timeline -q all -o all.pftrace
	if has_perfetto; then
		perfetto_counts all.pftrace <<-END
			a sample for each row|$(n_rows all stacks)|select count(*) from perf_sample
			of the thread that it is of|$(cells all stacks tid | sort -u)|select distinct tid from perf_sample join thread using (utid)
			a chain of functions for each stack|$(cells all stacks user_stack,kernel_stack | sort -u | wc -l)|select count(distinct callsite_id) from perf_sample
			one within the other|outermost,middle|select distinct (select f.name from stack_profile_callsite o join stack_profile_frame f on f.id = o.frame_id where o.id = c.parent_id) || ',' || f.name from stack_profile_callsite c join stack_profile_frame f on f.id = c.frame_id where f.name = 'middle'
		END
	else
		perfetto=
		skip "counts of Perfetto's importer: $why"
	fi
	check 'drawn as a part of it' "$IOTRACER" timeline -q all --to +10s -o part.pftrace
	[ -z "${perfetto:-}" ] || perfetto_counts part.pftrace <<-END
		the same samples|$(n_rows all stacks)|select count(*) from perf_sample
	END
	# in the text of a program a place in the file is the address, as linkers lay it out
	compiled mangled -Dmiddle=_ZN7storage6Engine5flushERKSsi
	address=$(nm mangled | sed -n 's/ T _ZN7.*//p')
	equal 'a function of C++ as its source has it' 'storage::Engine::flush(std::string const&, int)' \
		"$(printf 'M %s\t*\nA %x\n' "$tmp/mangled" $((0x$address + 1)) | "$IOTRACER_SYMBOLS" | sed 's/std::basic_string<char, std::char_traits<char>, std::allocator<char> >/std::string/')"
else
	echo 'SKIP: names of functions: no iotracer-symbols (libdw)'
fi

# without that program, as where libdw is not installed
export IOTRACER_SYMBOLS_KEPT=$IOTRACER_SYMBOLS IOTRACER_SYMBOLS=$tmp/none
traced some frames --stacks=sync || fail 'traced syncs'
check 'without iotracer-symbols it says so' grep -q 'no names of functions: iotracer-symbols is not installed' some.log
"$IOTRACER" report some --section stacks >none 2>none.log
check 'and the report names files' grep -q '\[frames\]' none
check 'which it says once' one_message none.log
export IOTRACER_SYMBOLS=$IOTRACER_SYMBOLS_KEPT
if [ -x "$IOTRACER_SYMBOLS" ]; then
	"$IOTRACER" report some --section stacks --csv >later.csv
	check 'a reader looks them up later' grep -q 'main.*fsync' later.csv
	mv frames frames.away
	"$IOTRACER" report some --section stacks --csv >later.csv
	check 'but not of a file that is gone' grep -q '\[frames\]' later.csv
	"${cc[@]}" -D_GNU_SOURCE -Os -o frames "$tests_dir/conform/conform_frames.c"
	"$IOTRACER" report some --section stacks --csv >later.csv
	check 'nor of another one in its place' grep -q '\[frames\]' later.csv
	mv frames.away frames
fi
check 'syncs alone' [ "$(cells some stacks operation | sort -u)" = FSYNC ]
check 'every one of them' [ "$(n_rows some stacks)" = "$(cells some fs operation | grep -cx FSYNC)" ]
check 'the others are rows of fs all the same' grep -qx WRITE <(cells some fs operation)

traced lacking bare --stacks=1 || fail 'traced without frame pointers'
functions lacking '.*pwrite.*' >bare.functions
check 'without frame pointers the outer frames are missing' [ "$(grep -c main bare.functions)" = 0 ]
check 'which the report says, and of how many' grep -qE '^stacks,frames,[0-9]+,of [0-9]+ stacks lack' \
	<("$IOTRACER" report lacking --section missing --csv)
check 'and of each' grep -q ',outer frames,' lacking.csv

"$IOTRACER" record -q -o tokens "${record_options[@]}" -a --anon-key "$tmp/key" -e fs,stacks --stacks=1 -- timeout 0.3 ./frames frames.dat
check 'anonymised: nothing has a name' [ "$(n_rows tokens stacks)" -gt 0 -a ! -e tokens/symbols -a \
	-z "$(cut -d, -f 6- tokens/stacks/*.csv | grep -E 'frames\+|libc|main|outermost' || true)" ]
check 'nor a build id' [ "$(cells tokens stacks modules | grep -c ' [0-9a-f]\{32,\}')" = 0 ]
"$IOTRACER" record -o no --stacks=often -- true 2>refused.log
check 'a word that it does not know is refused' [ $? = 2 -a "$(cat refused.log | wc -l)" = 1 ]
if [ -z "${LIVE_IMAGE:-}" ]; then
	"$IOTRACER" build -q --root / -e fs -o image "${tier_options[@]}" 2>build.log
	"$IOTRACER" record -o no --image image --stacks -- true 2>refused.log
	check 'and an image without them' [ $? = 1 -a "$(grep -c 'build -e +stacks' refused.log)" = 1 ]
fi
"$IOTRACER" record -o no -e ds --stacks -- true 2>refused.log
check 'and stacks without operations' [ $? = 2 -a ! -e no ]
