#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer fio` closes the loop: programs are recorded, fio repeats them in a scratch directory, that is recorded,
# too, and `report --replay` says of each figure of each file that it is as before. So does `files`. Then traces that
# somebody made to lead it elsewhere.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-fio.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-fio.sh"

command -v sqlite3 >/dev/null || skip_all 'sqlite3 is not installed'

# ---- programs: a database, tar; names that mean something to fio, a file of 8 TiB, a read of its end

cat >sqlite.sh <<'END'
rm -f t.db
sqlite3 t.db 'create table t(a integer primary key, b text)'
sqlite3 t.db 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) insert into t select x, hex(randomblob(60)) from c'
for i in 1 2 3; do sqlite3 t.db "update t set b = hex(randomblob(61)) where a % 100 = $i"; sleep .2; done
sqlite3 t.db "select count(*) from t where b like '%A%'" >count
END
cat >odd.py <<'END'
import os
for name in ("a:b", "c,d", "line\nbreak", "back\\slash", "name with blanks", "[job]", "../../../../etc/x", "e" * 250, "\xff\x01 open"):
    path = os.path.join(os.getcwd(), name) if "/" not in name else name
    try:
        with open(path, "wb", 0) as file:
            file.write(b"x" * 1000)
    except OSError:
        continue
    with open(path, "rb", 0) as file:
        file.read(400)
    os.unlink(path)
with open("sparse", "wb", 0) as file:
    file.truncate(8 << 40)
with open("sparse", "r+b", 0) as file:
    os.pread(file.fileno(), 4096, (8 << 40) - 4096)
    os.pwrite(file.fileno(), b"y" * 100, 4 << 40)
END
cp -r "$tests_dir/../src/base" tree
check 'programs: recorded' record load -e fs,ds -m 8192 -- sh -c "sh sqlite.sh; tar cf x.tar tree; exec $(python_path) odd.py"
check 'and repeated by fio' repeated load fs,ds
check 'report: each figure of each file is as before' as_before load
check 'so is it in files' python3 "$checks" same load load.jobs load.again
names()
{
	local name

	for name in a:b c,d 'line\nbreak' 'back\slash' 'name with blanks' '[job]' "$(printf 'e%.0s' {1..250})" 'ÿ\x01 open' sparse x.tar t.db t.db-journal; do
		grep -F "/$name" load.figures | grep -q ',writes,[1-9]' || { echo "$name: none"; return 1; }
	done
}
check 'whatever they are called' names
check 'pauses are kept' python3 "$checks" pauses load load.jobs load.again
check 'what is left out is in the head of the jobs' grep -q '^; left out: .*UNLINK [1-9]' load.jobs/replay.fio
check 'no log leads elsewhere' python3 "$checks" inside load.jobs "$tmp/load.scratch"
small()
{
	[ "$(du -sk load.scratch | cut -f 1)" -lt 8000 ] && [ "$(stat -c %s load.scratch/*-sparse)" = 8796093022208 ]
}
check 'a file of 8 TiB takes no more room than before' small
compared()
{
	"$IOTRACER" report -q load load.again --replay load.jobs >compared.text || return
	cat compared.text
	# nothing of it is a figure that differs
	grep -Eq '^repeated by fio: [0-9]+ files, ([0-9]+) figures, \1 equal$' compared.text && grep -Eq '^calls .* equal$' compared.text
}
check 'report: the whole of both' compared
forgotten()
{
	"$IOTRACER" report load load.again 2>&1 >/dev/null | grep 'load.again: is the run of a replay: --replay load.jobs compares it'
}
check 'who has forgotten --replay is told' forgotten
other_jobs()
{
	mkdir -p empty
	! "$IOTRACER" report load load.again --replay empty 2>refused && grep -q 'name the directory of the jobs' refused &&
		! "$IOTRACER" report load load.again --section replay 2>refused && grep -q 'sections of --replay' refused
}
check 'a directory without jobs' other_jobs

# ---- the other ways to repeat it, in one recording

both()
{
	jobs load fast --no-wait --warm && jobs load old --iolog 2 && record again -e fs,ds -m 8192 -- bash -c 'replay "$@"' - fast old
}
check 'without pauses, and in format 2 of logs' both
check 'without pauses: as before' as_before load fast again
check 'without pauses: in less time' python3 "$checks" no_pauses load fast.jobs again
# which of their files the disk was asked for
asked()
{
	cells again ds operation,filename | grep -c "^read.*/$1.scratch/"
}
check 'its files were in memory: fewer reads of the disk' eval '[ "$(asked fast)" -lt "$(asked old)" ]'
check 'format 2: as before' as_before load old again
check 'format 2: it has times to wait for' [ "$(grep -c ' wait ' old.jobs/logs/0001.log)" -gt 10 ]

# ---- what the trace lacks

lossy()
{
	cp -r load lossy && python3 "$tests_dir/readers/manifest_checks.py" add_loss lossy fs ring 12345 &&
		"$IOTRACER" fio -q lossy -o lossy.jobs --into lossy.scratch && grep -q '^; .*12345 ' lossy.jobs/replay.fio || return
	grep 12345 lossy.jobs/*.fio
	# neither made up: the same lines are in its logs
	cmp <(sed 's:[^ ]*/::' lossy.jobs/logs/0001.log) <(sed 's:[^ ]*/::' load.jobs/logs/0001.log) || [ $iolog = 2 ]
}
check 'lost rows are said, and not made up' lossy
unsure()
{
	"$IOTRACER" report -q lossy load.again --replay load.jobs --section replay --csv | grep -Eq '^(noise|unsure|equal),[1-9]'
}
check 'and nothing is claimed of them' unsure

check 'anonymised: recorded' record anonymous -e fs -a -- sh -c 'cat sqlite.sh odd.py >secret'
check 'anonymised: fio can run it' eval 'jobs anonymous anonymous && replay anonymous'
check 'anonymised: names of scratch files are tokens' eval '! ls anonymous.scratch | grep secret'

# ---- the load as distributions; fio's own result

profile()
{
	"$IOTRACER" fio -q load -c sqlite3 -o profile.jobs --into profile.scratch --check >profile.table 2>profile.said || { cat profile.said profile.table; return 1; }
	cat profile.table
	for measure in reads writes write_bytes read_share; do
		grep -q "  yes  *$measure$" profile.table || return
	done
}
check 'sqlite3: as distributions, and compared' profile

against()
{
	local jobs=(--directory="$tmp" --size=400k --bs=4k --fsync=10 --name=one --rw=randrw --name=two --rw=write --filename=shared.file)

	fio --create_only=1 --output=result.out "${jobs[@]}" &&
		record result -e fs,ds -- fio --output-format=json --output=result.json "${jobs[@]}" &&
		"$IOTRACER" report -q result --against result.json >result.text && "$IOTRACER" report -q result --against result.json --csv 2>/dev/null >result.csv || return
	cat result.text
	# count and latency of each: what fio measures includes the call, and itself
	awk -F, 'NR > 1 { n++; if ($3 != $4 || $7 > $6 * 1.1 + 2000) exit 1; jobs = jobs $1 "." $2 " " }
		END { exit n != 5 || jobs != "one.read one.write one.sync two.write two.sync " }' result.csv
}
check "fio's result beside the calls" against
check 'the same as JSON' eval '"$IOTRACER" report -q result --against result.json --json >result.jobs && python3 "$checks" told result.jobs result.csv'
check 'a file that is no result of fio' eval '! "$IOTRACER" report result --against sqlite.sh 2>refused && grep -q "is not the output of fio" refused'

# ---- what is refused

refuses() # WHAT-IT-SAYS ARGUMENT...
{
	local says=$1 status

	shift
	"$IOTRACER" fio "$@" 2>refused
	status=$?
	[ "$status" -ge 1 ] && [ "$status" -le 2 ] && grep -q "$says" refused || { cat refused; return 1; }
}
mkdir full 'a:b'
echo precious >full/file
check 'a scratch directory with other files' refuses 'has other files' load -o new --into full
check 'a scratch directory that fio cannot take' refuses 'fio cannot take this name' load -o new --into 'a:b'
check 'a directory of jobs with other files' refuses 'has files' load -o full --into load.scratch
check 'no scratch directory' refuses 'with --into' load -o new
check 'no reads' refuses 'no reads' load -o new --into load.scratch -p 1
mkdir everybodys && chmod 777 everybodys
check 'a scratch directory of everybody' refuses 'others can write' load -o new --into everybodys
check 'nothing is left of it, and nothing touched' eval '[ ! -e new ] && [ "$(cat full/file)" = precious ]'
