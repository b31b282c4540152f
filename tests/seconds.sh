#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# seconds.sh [LOG]...: what each test of `make check` took, by the last lines of these logs (turn.sh), slowest
# first. A live script of more than 90 s, or a suite of more than 5 s of CPU, fails, unless slow.txt gives a reason.
# seconds.sh --guests < LINES: the same of scripts in guests, "SECONDS s: guest-NAME, KERNEL": of more than 600 s, a
# third of what the gate may take, while three others have the machine as well.
# Seconds are those of a machine where the loop below takes 0.6; others differ by a factor of five, from hour to hour,
# and one may do so from test to test (turn.sh). Where all tests together take half as long again as slow.txt says, the
# machine is slow in a way that no loop of a program shows (the kernel's own work is, or its page cache is taken away), and
# what a test would take elsewhere cannot be told: then none is refused.
# The last test of all: the table goes to descriptor 9 as well, which automake leads past the log.

export LC_ALL=C
dir=$(dirname "$0")
guests=
if [ "${1:-}" = --guests ]; then
	guests=1
elif [ $# -eq 0 ]; then
	cd "${builddir:-.}" || exit
	set -- tests/*/*.log
fi
{ : >&9; } 2>/dev/null || exec 9>/dev/null

# SECONDS CPU NAME of each; of a guest nobody knows the CPU
table()
{
	if [ -n "$guests" ]; then
		sed -nE 's|^ *([0-9.]+) s: (guest-[a-z0-9-]*)(, .*)?$|\1 0 tests/vm/\2.sh|p' | sort -rn
		return
	fi
	awk '/^took [0-9.]* s, [0-9.]* s and [0-9.]* s of CPU$/ {
		name = FILENAME
		sub(/\.log$/, "", name)
		took = $2 " " $4 + $7 " " name
	}
	/^a tenth of the fixed loop took [0-9.]* s of CPU$/ { print took, $8 * 10 }' "$@" | sort -rn
}

taken=$(table "$@")
# guests that did not run have failed already
[ -n "$taken$guests" ] || { echo 'no log says how long its test took'; exit 1; }
[ -n "$taken" ] || exit 0
[ -n "$guests" ] || awk '{ printf "%7.1f s %7.1f s of CPU  %s\n", $1, $2, $3; wall += $1; cpu += $2 }
	END { printf "%7.1f s %7.1f s of CPU  all of them, one after the other\n", wall, cpu }' <<<"$taken" | tee /dev/fd/9
pace=$({ TIMEFORMAT=%U; time awk 'BEGIN { for (i = 0; i < 15000000; i++) sum += i }'; } 2>&1)
echo "a fixed loop of awk takes $pace s of CPU"
awk -v pace="$pace" -v guests="$guests" '
	BEGIN { pace = pace > 0.6 ? pace / 0.6 : 1 }
	FILENAME != "-" {
		if (/^all: /) { all_wall = $2; all_cpu = $4 }
		else if (/^[^#]/) { name = $1; sub(/:$/, "", name); allowed[name] }
		next
	}
	{
		suite = $3 ~ /\/unit\//
		its = $4 > 0.6 && $4 / 0.6 > pace ? $4 / 0.6 : pace
		took = (suite ? $2 : $1) / its
		limit = suite ? 5 : $3 ~ /\/vm\// ? 600 : 90
		wall += $1
		cpu += $2
	}
	took > limit && !($3 in allowed) { said[++n] = $3 " took " took " s, more than " limit }
	END {
		slow = !guests && (wall > 1.5 * all_wall || cpu > 1.5 * all_cpu)
		for (i = 1; i <= n; i++)
			print (slow ? "" : "FAIL: ") said[i] (slow ? "" : ": make it faster, or give a reason in tests/slow.txt")
		if (slow && n)
			print "SKIP: all tests together took " wall " s, " cpu " s of CPU, where slow.txt has " all_wall " and " all_cpu
		exit n ? (slow ? 77 : 1) : 0
	}' "$dir/slow.txt" - <<<"$taken"
