#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer fio` closes the loop: programs are recorded, fio repeats them in a scratch directory, that is recorded,
# too, and `files` has the same numbers for every file. Then traces that somebody made to lead it elsewhere.
. "$(dirname "$0")/lib.sh"

for tool in fio python3 sqlite3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
export IOTRACER
checks=$tests_dir/readers/fio_checks.py
formats=(3 2)
case $(fio --version) in
fio-3.[0-9] | fio-3.[12][0-9] | fio-3.30 | fio-2.*) formats=(2) ;;
esac

# repeat NAME [OPTION]...: what was recorded in NAME, done by fio; NAME.jobs, NAME.scratch, NAME.again
repeat()
{
	local name=$1

	shift
	rm -rf "$name.jobs" "$name.scratch" "$name.again"
	"$IOTRACER" fio "$name" -o "$name.jobs" --into "$name.scratch" --iolog "${formats[0]}" "$@" 2>"$name.said" || return
	fio --output=layout.out "$name.jobs/layout.fio" || return
	record "$name.again" -e fs -m 4096 -- fio --output=replay.out "$name.jobs/replay.fio" && ! grep 'err=[^0]*[1-9]' replay.out
}

same()
{
	python3 "$checks" same "$1" "$1.jobs" "$1.again" "$tmp/$1.scratch" "${@:2}"
}

# ---- programs

cat >sqlite.sh <<'END'
rm -f t.db
sqlite3 t.db 'create table t(a integer primary key, b text)'
sqlite3 t.db 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) insert into t select x, hex(randomblob(60)) from c'
for i in 1 2 3; do sqlite3 t.db "update t set b = hex(randomblob(61)) where a % 100 = $i"; sleep .2; done
sqlite3 t.db "select count(*) from t where b like '%A%'" >count
END
check 'sqlite3: recorded' record sqlite -e fs -- sh sqlite.sh
check 'sqlite3: repeated by fio' repeat sqlite
check 'sqlite3: every file as before' same sqlite
check 'sqlite3: pauses are kept' python3 "$checks" pauses sqlite sqlite.jobs sqlite.again "$tmp/sqlite.scratch"
check 'sqlite3: what is left out is in the head of the jobs' grep -q '^; left out: .*UNLINK [1-9]' sqlite.jobs/replay.fio
check 'sqlite3: without pauses' repeat sqlite --no-wait
check 'sqlite3: the same calls' same sqlite
faster()
{
	! python3 "$checks" pauses sqlite sqlite.jobs sqlite.again "$tmp/sqlite.scratch"
}
check 'sqlite3: in less time' faster
check 'sqlite3: format 2 of logs' repeat sqlite --iolog 2
check 'sqlite3: as before in format 2' same sqlite
check 'sqlite3: it has times to wait for' [ "$(grep -c ' wait ' sqlite.jobs/logs/0001.log)" -gt 10 ]

# ---- io_uring: requests in flight

if [ "$LIVE_TIER" != c ] && [ -z "$(uring_forbidden)" ]; then
	check 'io_uring: recorded' record ring -e fs,iouring -m 4096 -- fio --name=a --filename="$tmp/ring.file" --size=1M --rw=randrw --bs=4k \
		--ioengine=io_uring --iodepth=8 --direct=1 --fsync=20 --output=ring.out
	check 'io_uring: repeated by fio' repeat ring
	# fio's own count: it ends without reaping its last requests, and what is not reaped has no row
	issued()
	{
		local rows

		rows=$(cells ring fs operation,call,filename | awk -F '\t' '$2 == "io_uring" { n[$1]++ } END { print "total=" n["READ"] "," n["WRITE"] ",0," n["FSYNC"] }')
		grep issued replay.out && echo "$rows" && grep -q "issued rwts: $rows " replay.out
	}
	check 'io_uring: as many reads, writes and syncs' issued
	check 'io_uring: with its options' eval 'grep -A 9 "^ioengine=io_uring" ring.jobs/replay.fio | paste -sd" " | grep -q "iodepth=[2-8] direct=1"'
else
	echo 'SKIP: io_uring: none can be made here, or offsets are not known'
fi

# ---- tar, names that mean something to fio, a file of 8 TiB, a read of its end

cat >odd.py <<'END'
import os
for name in ("a:b", "c,d", "line\nbreak", "name with blanks", "[job]", "../../../../etc/x", "e" * 250, "\xff\x01 open"):
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
check 'tar, odd names: recorded' record odd -e fs --path "$tmp/*" -- sh -c "tar cf x.tar tree; exec $(python_path) odd.py"
check 'tar, odd names: repeated by fio' repeat odd
check 'tar, odd names: every file as before' same odd
check 'odd names: no log leads elsewhere' python3 "$checks" inside odd.jobs "$tmp/odd.scratch"
small()
{
	[ "$(du -sk odd.scratch | cut -f 1)" -lt 4000 ] && [ "$(stat -c %s odd.scratch/*-sparse)" = 8796093022208 ]
}
check 'a file of 8 TiB takes no more room than before' small

check 'anonymised: recorded' record anonymous -e fs -a -- sh sqlite.sh
check 'anonymised: fio can run it' eval '"$IOTRACER" fio -q anonymous -o anonymous.jobs --into anonymous.scratch --iolog "${formats[0]}" &&
	fio --output=layout.out anonymous.jobs/layout.fio && fio --output=replay.out anonymous.jobs/replay.fio'
check 'anonymised: names of scratch files are tokens' eval '! ls anonymous.scratch | grep t.db'

# ---- the load as distributions; fio's own result

profile()
{
	"$IOTRACER" fio -q sqlite -o profile.jobs --into profile.scratch --check >profile.table 2>profile.said || { cat profile.said profile.table; return 1; }
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
check 'a scratch directory with other files' refuses 'has other files' sqlite -o new --into full
check 'a scratch directory that fio cannot take' refuses 'fio cannot take this name' sqlite -o new --into 'a:b'
check 'a directory of jobs with other files' refuses 'has files' sqlite -o full --into sqlite.scratch
check 'no scratch directory' refuses 'with --into' sqlite -o new
check 'no reads' refuses 'no reads' sqlite -o new --into sqlite.scratch -p 1
mkdir everybodys && chmod 777 everybodys
check 'a scratch directory of everybody' refuses 'others can write' sqlite -o new --into everybodys
check 'nothing is left of it, and nothing touched' eval '[ ! -e new ] && [ "$(cat full/file)" = precious ]'
