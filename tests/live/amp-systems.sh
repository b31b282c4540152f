#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Amplification of storage systems as Debian packages them, beside what each counts of itself:
# PostgreSQL (pg_stat_wal, pg_stat_bgwriter), MariaDB (SHOW GLOBAL STATUS), Redis (INFO), etcd (its metrics), RocksDB (db_bench).
# shellcheck source=lib-systems.sh source-path=SCRIPTDIR
. "$(dirname "$0")/lib-systems.sh"

system=PostgreSQL
postgresql()
{
	local bin as from to wal_writes wal_syncs pages

	bin=$(echo /usr/lib/postgresql/*/bin | awk '{ print $NF }')
	[ -x "$bin/pgbench" ] || { skip 'postgresql is not installed'; return; }
	as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
	chmod 711 "$tmp"
	mkdir pg
	chown postgres pg
	"${as[@]}" "$bin/initdb" -D "$tmp/pg/data" -A trust -N >initdb.log 2>&1 || { fail "initdb: $(tail -3 initdb.log)"; return; }
	cat >>pg/data/postgresql.conf <<-END
		listen_addresses = ''
		unix_socket_directories = '$tmp/pg'
		shared_buffers = 2MB
		autovacuum = off
	END
	cat >pg.sh <<'END'
bin=$1 dir=$2
sql() { "$bin/psql" -qAt -F ' ' -h "$dir" "$@" postgres; }
status() { sql -c 'select wal_write, wal_sync, buffers_checkpoint + buffers_clean + buffers_backend from pg_stat_wal, pg_stat_bgwriter'; }
. ./moment.sh
"$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 120 start
"$bin/pgbench" -h "$dir" -i -q postgres
sql -c CHECKPOINT
sleep 1.5
moment from
"$bin/pgbench" -h "$dir" -c 2 -t 200 -n postgres
sql -c CHECKPOINT
sleep 1.5
moment to
"$bin/pg_ctl" -D "$dir/data" -w -t 120 -m fast stop
END
	trace pgtrace -e fs,ds,exec -m 4096 -- "${as[@]}" bash pg.sh "$bin" "$tmp/pg"
	[ -s pg/to.stats ] || { skip 'this version has no pg_stat_wal'; return; }
	read -r wal_writes wal_syncs pages < <(paste -d ' ' pg/from.stats pg/to.stats | awk '{ print $4 - $1, $5 - $2, $6 - $3 }')
	read -r from to < <(moments pgtrace pg)
	from=(--from "${from/T/ }" --to "${to/T/ }")
	check "PostgreSQL: it wrote $wal_writes times to its log" \
		[ "$(sum files pgtrace writes --path '*/pg_wal/*' "${from[@]}")" = "$wal_writes" ]
	check "PostgreSQL: and synced it $wal_syncs times" \
		[ "$(sum files pgtrace syncs --path '*/pg_wal/*' "${from[@]}")" = "$wal_syncs" ]
	between 'PostgreSQL: pages of tables written' "$pages" \
		"$(($(sum files pgtrace writes --path '*/data/base/*' "${from[@]}") + $(sum files pgtrace writes --path '*/data/global/*' "${from[@]}")))" $((pages + 2))
	# beside them pg_xact, pg_logical and its log, once each or so
	between 'PostgreSQL: all writes of its processes' $((wal_writes + pages)) \
		"$(sum amp pgtrace sys_writes "${from[@]}")" $((wal_writes + pages + 30))
}
postgresql

system=MariaDB
mariadb_server()
{
	local from to syncs writes bytes

	command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null || { skip 'mariadb-server-core is not installed'; return; }
	mkdir ma
	cat >maria.sh <<'END'
dir=$1
mariadb-install-db --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db >"$dir/install" 2>&1
mariadbd --no-defaults --user=root --datadir="$dir/data" --socket="$dir/s" --pid-file="$dir/pid" --skip-networking \
	--innodb-use-native-aio=0 --innodb-buffer-pool-size=8M --innodb-flush-log-at-trx-commit=1 >"$dir/log" 2>&1 &
pid=$!
sql() { mariadb --no-defaults -uroot -S "$dir/s" -N -B "$@"; }
status() { sql -e "show global status where variable_name in ('Innodb_data_fsyncs', 'Innodb_data_writes', 'Innodb_data_written')" | sort; }
. ./moment.sh
for i in $(seq 300); do sql -e 'select 1' >/dev/null 2>&1 && break; sleep 0.1; done
sql -e 'create database b; create table b.t (id int primary key auto_increment, v varbinary(2000)) engine=innodb'
moment from
for i in $(seq 150); do echo "insert into b.t (v) values (repeat('x', 1500));"; done | sql
sql -e 'set global innodb_max_dirty_pages_pct_lwm = 0; set global innodb_max_dirty_pages_pct = 0'
sleep 2
moment to
kill $pid
wait $pid
END
	trace matrace -e fs,ds,exec -m 4096 -- sh maria.sh "$tmp/ma"
	[ -s ma/to.stats ] || { fail "MariaDB: $(tail -n 1 ma/log)"; return; }
	read -r syncs writes bytes < <(paste ma/from.stats ma/to.stats | awk '{ printf "%d ", $4 - $2 }')
	read -r from to < <(moments matrace ma)
	from=(--from "${from/T/ }" --to "${to/T/ }")
	# it counts the syncs of its log among them, the writes not
	check "MariaDB: it synced $syncs times" [ "$(sum files matrace syncs --path '*/ma/data/*' "${from[@]}")" = "$syncs" ]
	check "MariaDB: it wrote $writes times to its tables" \
		[ "$(($(sum files matrace writes --path '*/ma/data/*' "${from[@]}") - $(sum files matrace writes --path '*/ib_logfile0' "${from[@]}")))" = "$writes" ]
	check "MariaDB: and $bytes bytes" \
		[ "$(($(sum files matrace write_bytes --path '*/ma/data/*' "${from[@]}") - $(sum files matrace write_bytes --path '*/ib_logfile0' "${from[@]}")))" = "$bytes" ]
	between 'MariaDB: all bytes of its processes' "$bytes" "$(sum amp matrace sys_write_bytes "${from[@]}")" $((bytes + 4000000))
}
mariadb_server

system=Redis
redis()
{
	local size

	command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null || { skip 'redis-server is not installed'; return; }
	mkdir rd
	cat >redis.sh <<'END'
redis-server --port 0 --unixsocket "$PWD/s" --dir "$PWD/rd" --appendonly yes --appendfsync always --save "" >redis.out 2>&1 &
pid=$!
for i in $(seq 200); do redis-cli -s "$PWD/s" ping >/dev/null 2>&1 && break; sleep 0.1; done
redis-benchmark -s "$PWD/s" -n 1500 -c 3 -t set -d 300 -r 100 -q
redis-cli -s "$PWD/s" info persistence | tr -d '\r' >info
redis-cli -s "$PWD/s" shutdown nosave
wait $pid
END
	trace retrace -e fs,ds,exec -m 4096 -- sh redis.sh
	size=$(awk -F: '$1 == "aof_current_size" { n += $2 } $1 == "aof_base_size" { n -= $2 } END { print n }' info)
	between 'Redis: bytes appended to its file' "$size" "$(sum files retrace write_bytes --path '*.incr.aof')" "$size"
	between 'Redis: bytes written by it' "$size" "$(sum amp retrace sys_write_bytes)" $((size + 16384))
	check 'Redis: a sync for nearly each write' [ "$(sum files retrace syncs --path '*.incr.aof')" -ge "$(sum files retrace writes --path '*.incr.aof')" ]
}
redis

system=etcd
etcd_server()
{
	local syncs

	command -v etcd >/dev/null && command -v etcdctl >/dev/null || { skip 'etcd-server is not installed'; return; }
	python3 "$tests_dir/readers/systems_checks.py" two_ports >ports
	cat >etcd.sh <<'END'
read -r client peer <ports
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=127.0.0.1:$client
etcd --data-dir "$PWD/ed" --listen-client-urls http://127.0.0.1:$client --advertise-client-urls http://127.0.0.1:$client \
	--listen-peer-urls http://127.0.0.1:$peer --initial-advertise-peer-urls http://127.0.0.1:$peer \
	--initial-cluster default=http://127.0.0.1:$peer >etcd.out 2>&1 &
pid=$!
for i in $(seq 200); do etcdctl endpoint health >/dev/null 2>&1 && break; sleep 0.1; done
for i in $(seq 60); do etcdctl put key$i "$(head -c 500 /dev/zero | tr '\0' x)"; done
python3 "$1" fetch http://127.0.0.1:$client/metrics >metrics
kill $pid
wait $pid
END
	trace ettrace -e fs,ds,exec -m 4096 -- sh etcd.sh "$tests_dir/readers/loads.py"
	syncs=$(awk '$1 == "etcd_disk_wal_fsync_duration_seconds_count" { print $2 }' metrics)
	check "etcd: its log was synced $syncs times" [ "${syncs:-0}" -ge 60 -a "$(sum files ettrace syncs --path '*/member/wal*/*.wal')" = "$syncs" ]
	check 'etcd: bytes written by it' [ "$(sum amp ettrace sys_write_bytes)" -ge 30000 ]
}
etcd_server

system=RocksDB
rocksdb()
{
	local tables log

	command -v db_bench >/dev/null || { skip 'rocksdb-tools is not installed'; return; }
	trace rotrace -e fs,ds,exec -m 8192 -- sh -c 'exec db_bench --benchmarks=fillrandom,overwrite,waitforcompaction,stats --num=40000 --value_size=400 \
		--db="$PWD/rdb" --write_buffer_size=4194304 --target_file_size_base=2097152 --max_bytes_for_level_base=8388608 \
		--compression_type=none --threads=1 --statistics >rocks.out 2>&1'
	tables=$(awk '/rocksdb.(compact|flush).write.bytes/ { n += $4 } END { print n }' rocks.out)
	log=$(awk '/rocksdb.wal.bytes/ { print $4 }' rocks.out)
	# what it has written when it counts, and what it still writes then
	between 'RocksDB: bytes of tables' $((tables * 99 / 100)) "$(sum files rotrace write_bytes --path '*.sst')" $((tables * 101 / 100))
	# a header of 7 bytes for each of 80,000 records, one more where a record goes on in the next block
	between 'RocksDB: bytes of its log' $((log + 560000)) "$(sum files rotrace write_bytes --path '*/rdb/*.log')" $((log + 560000 + log / 32768 * 7 + 7000))
	between 'RocksDB: bytes written by it' $((tables + log)) "$(sum amp rotrace sys_write_bytes)" $((tables + log + log / 20 + 1000000))
}
rocksdb

# MinIO is not packaged: a program of its name and with its layout on the disks stands in.
system=MinIO
minio_stand_in()
{
	cat >standin.py <<'END'
import os, sys
for disk in "disk1", "disk2":
    for i in range(20):
        folder = "%s/bucket/object%d/0123-4567" % (disk, i)
        os.makedirs(folder)
        for name, size in (("part.1", 131072), ("../xl.meta", 500)):
            fd = os.open(folder + "/" + name, os.O_RDWR | os.O_CREAT)
            os.write(fd, b"x" * size)
            os.fdatasync(fd)
            os.close(fd)
END
	cp "$(realpath "$(python_path)")" minio
	trace mitrace -e fs,ds,exec -m 1024 -- env PYTHONHOME="$(python3 "$tests_dir/readers/loads.py" prefix)" ./minio standin.py
	check 'a program with the name and the layout of MinIO: its writes' [ "$(sum amp mitrace sys_write_bytes)" = $((2 * 20 * (131072 + 500))) ]
}
minio_stand_in
