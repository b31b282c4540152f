#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Many short processes: each is two rows, and nothing of them stays in the
# kernel's tables, though it passes over the program that would clear them when
# it would interrupt another one.
#   LIVE_FORKS  children of each of two processes (4000)
. "$(dirname "$0")/lib.sh"

n=${LIVE_FORKS:-4000}
program=$(program conform_forks) || skip_all 'tests/conform/conform_forks is not built and cannot be'
echo text >file

record s -v -m 4096 -e fs,exec -- "$program" file "$n" >count
check 'recorded' [ $? = 0 ]
processes=$(<count)
cells s exec event_type,pid,command | grep -P '\tconform_forks$' >rows

rows_of()
{
	grep -c "^$1	" rows
}
echo "$processes processes, $(rows_of FORK) FORK, $(rows_of EXIT) EXIT"
check 'FORK: each process but the first' [ "$(rows_of FORK)" = $((processes - 1)) ]
check 'EXIT: each process' [ "$(rows_of EXIT)" = "$processes" ]
check 'no process is told twice' [ -z "$(cut -f1,2 rows | sort | uniq -d)" ]
check 'READ: of each process' [ "$(cells s fs operation,pid,filename |
	grep -P "^READ\t.*$PWD/file$" | cut -f2 | sort -u | wc -l)" = $((processes - 1)) ]
check 'nothing was lost' [ "$(cells s lost count | wc -l)" = 0 ]

grep 'left in tables' s.log
check 'nothing of them is left in the kernel' \
	grep -q 'left in tables: 0 calls, .* 0 processes, 0 of sockets;' s.log
# each has two entries, and those that the kernel passed over or has not freed yet are few
removed=$(sed -n 's/.*; \([0-9]*\) of exited tasks were removed$/\1/p' s.log)
check 'the programs clear most of it themselves' [ "$removed" -lt "$processes" ]
