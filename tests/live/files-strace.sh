#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer files` of programs that nobody here wrote, against the same figures
# made from strace's output by a program that knows nothing of iotracer
# (tests/readers/files_of_strace.py). strace runs inside the recording, so that
# both see the same calls. Compared: each column and histogram that is no time.
#
# Where O_APPEND writes is not known in tier c: such files (appended, pg/log) are compared elsewhere.
# closes is not compared: strace does not tell the last close of a file that
# ended with its process.
. "$(dirname "$0")/lib.sh"

oracle=$tests_dir/readers/files_of_strace.py
for tool in strace python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done

# only_columns FILE COLUMN[,COLUMN]...: of a CSV file, rows below $work, sorted; without
# directories, which are told as files when no row shows what they are
only_columns()
{
	python3 "$tests_dir/readers/strace_checks.py" rows_below "$1" "$2" "$work/"
}

# compare NAME WHAT COLUMNS: what the two say, option --WHAT of both
compare()
{
	local name=$1 what=$2 option=()

	[ "$what" = files ] || option=("--$what")
	python3 "$oracle" "${option[@]}" --sizes sizes strace.log "$work/" >strace.csv || fail "$name: the oracle"
	"$IOTRACER" files "$name" --csv --top 0 "${option[@]}" >ours.csv 2>ours.log || fail "$name: $(cat ours.log)"
	only_columns strace.csv "$3" >strace.rows
	only_columns ours.csv "$3" |
		if [ "$what" = histograms ]; then grep -v '_latency,'; else cat; fi >ours.rows
	if [ "$LIVE_TIER" = c ]; then
		sed -i '\|^[^,]*/appended,|d; \|^[^,]*/pg/log,|d' strace.rows ours.rows
	fi
	if [ -s strace.rows ] && cmp -s strace.rows ours.rows; then
		pass "$name: $what, $(wc -l <strace.rows) rows as strace's"
	else
		fail "$name: $what of strace (<) and ours (>)"
		diff strace.rows ours.rows | head -20
	fi
}

# beside_strace NAME COMMAND...: its files lie below $work
beside_strace()
{
	local name=$1

	shift
	find "$work" -type f -printf '%s %p\n' -o -type d -printf 'd %p\n' >sizes
	record "$name" -m 4096 -e fs --extra-ops --not-comm strace -- strace -f -yy -T -ttt -s 0 -e abbrev=none -o "$tmp/strace.log" "$@" \
		>"$name.out" 2>&1 || fail "$name ended badly: $(tail -3 "$name.out")"
	equal "$name: nothing was lost" 0 "$(n_rows "$name" lost)"
	python3 "$oracle" --undecided --sizes sizes strace.log "$work/" >undecided || fail "$name: the oracle"
	[ "$(wc -l <undecided)" -le 12 ] || fail "$name: of $(wc -l <undecided) files strace does not tell which call was first"
	compare "$name" files filename,opens,reads,read_errors,read_requested,read_bytes,writes,write_errors,write_requested,write_bytes,rewrites,syncs,sync_errors,synced_bytes,read_sequential,write_sequential,pids
	compare "$name" histograms filename,metric,call,from,to,count,sum
	rm -rf "$name"
}

work=$tmp/work
mkdir "$work"

fio_run()
{
	command -v fio >/dev/null || { skip 'fio is not installed'; return; }
	head -c 2097152 /dev/urandom >"$work/old"
	beside_strace fio fio --directory="$work" --ioengine=psync --size=2m --output=/dev/null \
		--bssplit=512/20:4k/60:13k/20 --thread=0 --group_reporting \
		--name=mixed --rw=randrw --fsync=16 \
		--name=ordered --rw=write --fdatasync=10 \
		--name=readers --rw=randread --filename="$work/old"
}

sqlite_run()
{
	command -v sqlite3 >/dev/null || { skip 'sqlite3 is not installed'; return; }
	{
		echo 'CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT, n INTEGER); CREATE INDEX i ON t (word);'
		awk 'BEGIN { for (i = 0; i < 300; i++) {
			if (i % 10 == 0) print "BEGIN;"
			printf "INSERT INTO t (word, n) VALUES (\"w%07d\", %d);\n", (i * 7919) % 1000003, i
			if (i % 10 == 9) print "COMMIT;" } }'
		echo 'SELECT sum(n) FROM t; DELETE FROM t WHERE id > 100; VACUUM;'
	} >"$work/bulk.sql"
	beside_strace sqlite3 sqlite3 -init /dev/null "$work/bulk.db" ".read $work/bulk.sql"
	beside_strace sqlite3-wal sqlite3 "$work/wal.db" 'PRAGMA journal_mode=WAL; CREATE TABLE t (a);' \
		'INSERT INTO t VALUES (1);' 'INSERT INTO t VALUES (2);' 'SELECT * FROM t;'
}

rsync_run()
{
	local i

	command -v rsync >/dev/null || { skip 'rsync is not installed'; return; }
	mkdir "$work/from"
	for ((i = 0; i < 60; i++)); do
		head -c $((i * 7919 % 300007)) /dev/urandom >"$work/from/file $i"
	done
	beside_strace rsync rsync -a "$work/from/" "$work/to/"
	for ((i = 0; i < 60; i += 7)); do
		printf 'changed' | dd of="$work/from/file $i" bs=1 seek=$((i * 100)) conv=notrunc status=none
	done
	beside_strace rsync-changed rsync -a --no-whole-file --inplace "$work/from/" "$work/to/"
}

shell_run()
{
	# shellcheck disable=SC2016 # the inner shell's
	beside_strace shell bash -c 'cd "$1"; for i in 1 2 3; do echo "line $i"; done >appended; echo more >>appended
		(echo child; cat appended) >both; exec 5<>both; read -r -u 5 line; echo over >&5; cat <&5 | tail -c 3 >end
		mv end moved; cat moved moved >>appended; rm both; echo again >both; truncate -s 3 appended; echo 9 >>appended' - "$work"
}

# A server of its own: pgbench's load, a checkpoint, a restart after it.
pgbench_run()
{
	local bin as

	bin=$(echo /usr/lib/postgresql/*/bin | awk '{ print $NF }')
	[ -x "$bin/pgbench" ] || { skip 'postgresql is not installed'; return; }
	as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
	chmod 711 "$tmp"
	mkdir "$work/pg"
	chown postgres "$work" "$work/pg"
	"${as[@]}" "$bin/initdb" -D "$work/pg/data" -A trust -N >initdb.log 2>&1 || { fail "initdb: $(tail -3 initdb.log)"; return; }
	cat >>"$work/pg/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$work/pg'
shared_buffers = 2MB
checkpoint_timeout = 30s
END
	cat >pg.sh <<'END'
set -e
bin=$1 dir=$2
"$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 120 start
"$bin/pgbench" -h "$dir" -i -q postgres
"$bin/pgbench" -h "$dir" -c 2 -t 40 postgres
"$bin/psql" -h "$dir" -c CHECKPOINT postgres
"$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 120 -m fast restart
"$bin/pgbench" -h "$dir" -c 1 -t 5 -S postgres
"$bin/pg_ctl" -D "$dir/data" -w -t 120 -m fast stop
END
	beside_strace pgbench "${as[@]}" bash pg.sh "$bin" "$work/pg"
	grep -q 'transactions actually processed: 80/80' pgbench.out && pass 'pgbench: all transactions' ||
		fail "pgbench: $(tail -5 pgbench.out)"
}

fio_run
sqlite_run
rsync_run
shell_run
pgbench_run
