#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Page faults of processes that end before anybody could ask what they had
# mapped: those of files are rows, those of memory are neither rows nor losses.
. "$(dirname "$0")/lib.sh"

n=211
true=$(readlink -f "$(type -P true)")
cat >many <<-END
	for ((i = 0; i < $n; i++)); do $true; done
END
record s -e pagefault,exec -m 2048 -- bash many
# a whole machine at work: what the kernel skips is counted by itself, and may be what would tell
unknown=$(lost s pagefault unresolved)
rows=$(n_rows s pagefault)
check "no fault of $n short processes is of nobody knows what ($unknown, $rows rows)" [ $((unknown * 100)) -le "$rows" ]
of_true()
{
	cells s pagefault pid,filename | awk -F'\t' -v file="$true" '$2 == file { print $1 }' | sort -u | wc -l
}
check "every process has faults of its program ($(of_true) of $n)" [ "$(of_true)" -ge $((n * 99 / 100)) ]
linkers()
{
	cells s pagefault pid,command,filename | awk -F'\t' '$2 == "true" && $3 ~ /\/ld-|\/ld\.so|ld-linux/ { print $1 }' | sort -u | wc -l
}
if ldd "$true" 2>/dev/null | grep -q 'ld-linux'; then
	check "and of its dynamic linker ($(linkers) of $n)" [ "$(linkers)" -ge $((n * 99 / 100)) ]
fi
check 'one row for what was lost in a second' \
	[ -z "$(cells s lost stream,cpu,reason,timestamp | sed 's/\.[0-9]*$//' | sort | uniq -d)" ]
share()
{
	[ "$unknown" = 0 ] || grep -Eq 'of [0-9]+ page faults, .* [0-9.]+%$' s.log
}
check 'what share of all faults that is, is said' share
