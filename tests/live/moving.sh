#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A tree that is renamed all the time while others read in it: every read is a
# row, under one of the two names that the file has had, or marked as unknown.
. "$(dirname "$0")/lib.sh"

moving=$(program conform_moving) || skip_all 'tests/conform/conform_moving cannot be built'
mkdir work
n=$(record s -e fs -m 2048 -- "$moving" work 2000)
check "the program ran ($n reads)" [ "${n:-0}" -gt 100 ]

# rows OPERATION: names and their marks
rows() { cells s fs operation,filename,path_status | awk -F '\t' -v op="$1" '$1 == op && ($2 ~ /\/file$/ || $2 ~ /^file$/ || $2 == "") && $2 !~ /^\/(etc|usr|lib)/'; }

check 'nothing was lost' no_loss s
check '2,000 renames are rows' [ "$(cells s fs operation,filename | grep -cP "^RENAME\t$tmp/work/t[01] -> $tmp/work/t[01]$")" = 2000 ]
check "$n reads are rows" [ "$(rows READ | wc -l)" = "$n" ]
check 'no file has a name that it never had' \
	[ -z "$(rows READ | grep -vP "\t$tmp/work/t[01]/sub/file\t|\t(file)?\t[a-z]*[rn]")" ]
