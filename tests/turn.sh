#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# turn.sh TEST [ARGUMENT]...: runs one test of `make check` when it is its turn. Scripts that trace what
# they start themselves run side by side; one that says "# alone: REASON" in its head has the machine to
# itself. Suites take no turns. The last lines of its log say what the test took, and how quick the
# machine was then, for seconds.sh.

lock=tests/live.lock

# turn TEST: waits for it, on descriptor 8, which no test inherits
turn()
{
	case $1 in
	*/live/*.sh) ;;
	*) return 0 ;;
	esac
	exec 8>>"$lock" || exit
	if grep -q '^# alone: .' "$1"; then
		flock -x 8
	else
		flock -s 8
	fi
}

command=("$@")
case $1 in
*.sh) command=(bash "$@") ;;
esac
turn "$1"
LC_NUMERIC=C TIMEFORMAT='took %1R s, %1U s and %1S s of CPU'
{ time "${command[@]}" 8>&- 2>&7; } 7>&2 2>&1
status=$?
TIMEFORMAT='a tenth of the fixed loop took %3U s of CPU'
{ time awk 'BEGIN { for (i = 0; i < 1500000; i++) sum += i }'; } 2>&1
exit $status
