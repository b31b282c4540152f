#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The metrics of a recording: counters are those that the report of the same rows has, by operation, in the
# format that promtool accepts; of counters of the kernel (layers), too, without any row on the disk.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'python3 is not installed'
mkdir text

# same NAME FILE DIR SECTION
same()
{
	"$IOTRACER" report "$3" --section "$4" --csv >"$1.section" 2>/dev/null
	python3 "$tests_dir/readers/metrics.py" "$2" "$1.section" >"$1.same" 2>&1
	check "metrics of $1 are what the report says" all_ok "$1.same" 3
}
all_ok() # FILE N
{
	cat "$1"
	[ "$(grep -c ^ok "$1")" -eq "$2" ] && ! grep -qv ^ok "$1"
}
accepted()
{
	promtool check metrics <"$1"
}

cat >load.sh <<'END'
mkdir d
exec >/dev/null 2>&1
for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=d/$i bs=4k count=$((10 * i)) conv=fsync; cp d/$i d/copy$i; cat d/missing$i; done
cat d/*
rm -r d
END
check 'with --metrics it records' record rows --metrics text/rows.prom -- sh load.sh
same rows text/rows.prom rows operations
check 'everybody may read the file' test "$(stat -c %a text/rows.prom)" = 644
check 'nothing else is left beside it' test "$(ls text)" = rows.prom
check 'at the end it says so' grep -qx 'iotracer_up 0' text/rows.prom
if command -v promtool >/dev/null; then
	check 'promtool accepts it' accepted text/rows.prom
fi

if [ "$LIVE_TIER" != c ]; then
	check 'counters of the kernel' record counts --metrics text/counts.prom -e layers -- sh load.sh
	same counts text/counts.prom counts counted
	if command -v promtool >/dev/null; then
		check 'promtool accepts these' accepted text/counts.prom
	fi
	check 'and without rows' record none --metrics text/none.prom --no-rows -e layers -- sh load.sh
	check 'there is none' test "$(n_rows none layers)" -eq 0
	# a program that is not in the page cache any more is read from the disk, in one run or the other
	series() { sed -n '/layer="BLOCK",operation="READ"/d; s/^\(iotracer_operations_total.*\) [0-9]*$/\1/p' "$1"; }
	check 'but all series' diff <(series text/counts.prom) <(series text/none.prom)
fi

not_recorded()
{
	! record late --metrics missing/x.prom -- touch started && grep -q 'missing/x.prom: No such file' late.log && [ ! -e started ]
}
check 'a directory that is not there is told before anything is traced' not_recorded
