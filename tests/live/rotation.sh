#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Segments: by rows, by size, by time, compressed; every row once and in order,
# and the checksums of the manifest.
. "$(dirname "$0")/lib.sh"

n=3001

# all_rows SESSION: each write of dd once, in order, over all segments
all_rows()
{
	cells "$1" fs operation,offset,filename | awk -F'\t' -v f="$tmp/F" -v n=$n '
		$1 == "WRITE" && $3 == f { if ($2 != 512 * k) exit 1; k++ } END { exit k != n }'
}

checksums()
{
	jq -r '.streams[].segments[] | "\(.sha256)  \(.file)"' "$1/manifest.json" | (cd "$1" && sha256sum -c --quiet)
}

counts()
{
	[ "$(jq '[.streams[] | select(.name == "fs") | .segments[].rows] | add' "$1/manifest.json")" = "$(n_rows "$1" fs)" ]
}

command -v jq >/dev/null || skip_all 'jq is missing'
for how in '--rotate-rows 100' '--rotate-size 20K' '--rotate-size 20K --compress gz' '--rotate-rows 0 --compress gz' '--rotate-size 20K --compress zstd'; do
	dir=s$((++i))
	# shellcheck disable=SC2086 # options
	record $dir -e fs $how -- dd if=/dev/zero of="$tmp/F" count=$n 2>/dev/null
	check "$how: all rows once and in order" all_rows $dir
	check "$how: checksums" checksums $dir
	check "$how: rows of the segments" counts $dir
	check "$how: nothing is left open" [ -z "$(find $dir -name '*.part')" ]
	n_segments=$(find $dir/fs -name '*.csv*' | wc -l)
	case $how in
	*rows\ 100*) check "$how: $n_segments segments" [ "$n_segments" -ge 30 -a "$n_segments" -le 34 ] ;;
	*20K) check "$how: none much larger" [ -z "$(find $dir/fs -size +21k)" -a "$n_segments" -gt 5 ] ;;
	*gz) check "$how: all compressed" [ -z "$(find $dir/fs -name '*.csv')" ] && check "$how: gzip agrees" gzip -t $dir/fs/*.gz ;;
	*zstd) check "$how: all compressed" [ -z "$(find $dir/fs -name '*.csv')" -a -n "$(find $dir/fs -name '*.csv.zst')" ] &&
		check "$how: zstd agrees" zstd -qt $dir/fs/*.zst && check "$how: it is whole" "$IOTRACER" verify -q $dir ;;
	esac
done
# the same program, all columns and few: what is added up by file is the same
n_columns()
{
	head -n 1 "$1"/fs/*.csv | tr , '\n' | wc -l
}
# sums_of DIR: one line a file
sums_of()
{
	"$IOTRACER" files "$1" --csv --top 0 2>/dev/null | awk -F, -v wanted='filename opens reads read_bytes writes write_bytes rewrites syncs write_sequential' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(wanted, name, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s ", $(at[name[i]]); print "" }' | sort
}
for columns in '' minimal; do
	record "c$columns" -e fs ${columns:+--columns $columns} -- dd if=/dev/zero of="$tmp/F" count=1000 conv=fsync status=none
done
check '--columns minimal: 15 of 23 columns' [ "$(n_columns c)" = 23 -a "$(n_columns cminimal)" = 15 ]
check '--columns minimal: it is whole' "$IOTRACER" verify -q cminimal
check '--columns minimal: files adds up the same' [ "$(sums_of c)" = "$(sums_of cminimal)" -a -n "$(sums_of c | grep ' 1000 512000 ')" ]
check '--columns minimal: what is missing is said' [ -n "$("$IOTRACER" files cminimal 2>&1 | grep 'column flags is missing')" ]

check 'each segment has its header' [ "$(grep -l '^timestamp,operation' s1/fs/*.csv | wc -l)" = "$(find s1/fs -name '*.csv' | wc -l)" ]

record t -e fs --rotate-time 1 -- bash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11; do echo $i; sleep 0.5; done >slow'
check '--rotate-time 1: a segment about each second' [ "$(find t/fs -name '*.csv' | wc -l)" -ge 3 ]
check '--rotate-time 1: all rows' [ "$(cells t fs operation,filename | grep -cP "^WRITE\t$tmp/slow")" = 11 ]

# times: what `date` says, in the time zone of the caller
for zone in UTC Asia/Kathmandu America/St_Johns; do
	before=$(date +%s)
	TZ=$zone record "tz_${zone##*/}" -e fs -- touch now
	at=$(cells "tz_${zone##*/}" fs timestamp,filename | grep "$tmp/now" | head -1 | cut -f1)
	after=$(date +%s)
	seconds=$(TZ=$zone date -d "$at" +%s)
	check "TZ=$zone: $at is now" [ "$seconds" -ge "$before" -a "$seconds" -le "$after" ]
done
mono=$(cells tz_UTC fs mono_ns,filename | grep "$tmp/now" | head -1 | cut -f1)
up=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
check 'mono_ns is the time since the start of the machine' [ $((up - mono / 1000000)) -ge 0 -a $((up - mono / 1000000)) -le 20000 ]
