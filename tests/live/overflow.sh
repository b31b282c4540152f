#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rows and losses together are what the program did, also when the ring is far
# too small; and the accounts in the lost stream, the manifest and the summary agree.
# alone: it keeps all CPUs busy, so that others would lose rows, too
. "$(dirname "$0")/lib.sh"

flood=$(program conform_flood -static) || skip_all 'conform_flood cannot be linked statically here'

# total SESSION: rows of the program and losses of stream fs
total()
{
	local rows lost

	rows=$(cells "$1" fs operation,command | awk -F'\t' '$1 != "CLOSE" && $2 ~ /^conform_flood/' | wc -l)
	lost=$(lost "$1" fs)
	echo "$rows rows and $lost lost" >&2
	echo $((rows + lost))
}

# flood_with SESSION THREADS N OPTION...
flood_with()
{
	local dir=$1 threads=$2 n=$3 sum

	shift 3
	record "$dir" -v -e fs "$@" -- "$flood" "$tmp/F" "$threads" "$n"
	sum=$(total "$dir" 2>said)
	# among what is lost may be calls on memory, of which those of no file are no rows
	check "$threads threads of $n writes ($*): $(cat said)" \
		[ "$sum" -ge $((threads * (n + 1))) -a "$sum" -le $((threads * (n + 9))) ]
}

flood_with big 1 20011 -m 1024
check 'a ring that is large enough loses nothing' no_loss big
flood_with small 1 100003 -m 1
check 'a ring of one page does' [ "$(n_rows small lost)" -gt 0 ]
flood_with two 2 50021 -m 1
flood_with eight 8 20011 -m 1

# Losses are told as they happen, but not one by one.
rows_of_the_same_second()
{
	cells "$1" lost stream,cpu,reason,timestamp | sed 's/\.[0-9]*$//' | sort | uniq -d
}
for session in small two eight; do
	check "one row for what was lost in a second on a CPU ($session)" [ -z "$(rows_of_the_same_second $session)" ]
done

# the same losses, told three times
lost=$(lost eight fs)
said=$(sed -n 's/^iotracer: lost *\([0-9]*\) of fs: .*/\1/p' eight.log | awk '{ n += $1 } END { print n + 0 }')
check "the summary says the same ($lost)" [ "$lost" = "$said" ]
check 'the manifest, too' grep -Eq "(\"ring\"|\"lost\"|\"count\").*\\b$lost\\b" eight/manifest.json

# Completions come in interrupts, where the kernel skips a program while another one
# runs: on busy CPUs block rows are lost before any number was given to them.
if ! dd if=/dev/zero of=blocks bs=65536 count=307 oflag=direct 2>/dev/null; then
	skip "busy CPUs: $tmp has no direct I/O"
else
	sync blocks
	cat >mix <<-END
		"$flood" "$tmp/F" 4 150000 &
		for i in 1 2 3 4 5; do
			dd if=/dev/zero of=blocks bs=65536 count=307 oflag=direct conv=notrunc
		done 2>/dev/null
		wait
	END
	record busy -e fs,ds -m 2048 -- bash mix
	rows=$(cells busy ds operation,size,command | grep -cP '^write\t65536\tdd$')
	lost=$(lost busy ds)
	open=$(sed -n 's/.* \([0-9]*\) requests still in flight/\1/p' busy.log)
	check "busy CPUs: no block row is lost without an account ($rows rows, $lost lost, ${open:-0} open of 1535)" \
		[ $((rows + lost + ${open:-0})) -ge 1535 ]
fi

# A timeline has a slice LOST for each row of losses, and what they count is what the manifest counts
# shellcheck source=lib-perfetto.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-perfetto.sh"
record both -e fs,sched -m 1 -- "$flood" "$tmp/F" 4 20011
ledger=$(python3 "$tests_dir/readers/manifest_checks.py" ledger both/manifest.json)
check "both streams lose some ($ledger)" eval '[[ $ledger = *fs,*sched,* ]]'
if ! has_perfetto; then
	skip "losses on a timeline: $why"
else
	for format in pftrace fxt; do
		check "a timeline as $format" eval '"$IOTRACER" timeline both -o both.$format 2>both.said'
		perfetto_counts both.$format <<-END
			a slice LOST for each row of losses|$(n_rows both lost)|select count(*) from slice where name = 'LOST'
			which count what the ledger does, by stream|$ledger|select s.string_value, sum(c.int_value) from slice join args s using (arg_set_id) join args c using (arg_set_id) where name = 'LOST' and replace(s.key, 'debug.', '') = 'stream' and replace(c.key, 'debug.', '') = 'count' group by 1 order by 1
			and so does the counter at the end|1|select count(*) > 0 from counter c join counter_track t on c.track_id = t.id where t.name glob 'events lost*' and value = $(sed 's/.*fs,\([0-9]*\).*/\1/' <<<"$ledger")
		END
		check "and it is said ($format)" eval '[ "$(sed -n "s/^iotracer: lost: \([0-9]*\) of .*/\1/p" both.said | awk "{ n += \$1 } END { print n }")" = \
			"$(tr , "\n" <<<"$ledger" | awk "NR % 2 == 0 { n += \$1 } END { print n }")" ]'
	done
fi
