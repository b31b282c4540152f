#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer fio` of servers and databases: what they did to every file, fio does again. Counts and bytes are the same for
# each; what depends on the order of several processes, or on sync_file_range, is named where it is passed over.
. "$(dirname "$0")/lib.sh"

for tool in fio python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
export IOTRACER
checks=$tests_dir/readers/fio_checks.py
formats=(3)
case $(fio --version) in
fio-3.[0-9] | fio-3.[12][0-9] | fio-3.30 | fio-2.*) formats=(2) ;;
esac

# loop NAME COLUMN-TO-PASS-OVER,... COMMAND...
loop()
{
	local name=$1 passed

	IFS=, read -ra passed <<<"$2"
	record "$name" -e fs,exec -m 8192 -- "${@:3}" >"$name.out" && "$IOTRACER" verify -q "$name" &&
		"$IOTRACER" fio -q "$name" -o "$name.jobs" --into "$name.scratch" --iolog "${formats[0]}" &&
		fio --output=layout.out "$name.jobs/layout.fio" &&
		record "$name.again" -e fs,exec -m 8192 -- fio --output=replay.out "$name.jobs/replay.fio" &&
		! grep 'err= *[1-9]' replay.out && python3 "$checks" same "$name" "$name.jobs" "$name.again" "$tmp/$name.scratch" "${passed[@]}"
}

mkdir www
for i in $(seq 50); do head -c $((i * 997)) /dev/urandom >"www/$i"; done
cat >server.py <<'END'
import http.server, os, threading, urllib.request
os.chdir("www")
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
def get(step):
    for i in range(200):
        urllib.request.urlopen("http://127.0.0.1:%d/%d" % (server.server_address[1], i * step % 50 + 1)).read()
threads = [threading.Thread(target=get, args=(step,)) for step in (1, 3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
server.shutdown()
END
check 'a web server in Python' loop python '' "$(python_path)" server.py

if command -v node >/dev/null; then
	cat >server.js <<'END'
const http = require('http'), fs = require('fs')
const server = http.createServer((request, response) => {
	fs.readFile('www' + request.url, (error, data) => response.end(data || ''))
}).listen(0, '127.0.0.1', async () => {
	const port = server.address().port
	const get = i => new Promise(done => http.get({ port, host: '127.0.0.1', path: '/' + (i % 50 + 1), agent: false },
		response => { response.resume(); response.on('end', done) }))
	for (let i = 0; i < 100; i++)
		await Promise.all([get(i), get(i + 7)])
	server.close()
})
END
	check 'a web server in JavaScript' loop node '' node server.js
else
	echo 'SKIP: a web server in JavaScript: nodejs is not installed'
fi

if command -v db_bench >/dev/null; then
	# tables are read by two threads at once, each with a descriptor of its own in fio
	check 'RocksDB' loop rocksdb opens,read_sequential,read_run,sync_gap,syncs db_bench --benchmarks=fillrandom,overwrite,waitforcompaction,readrandom --num=20000 \
		--reads=3000 --value_size=400 --db="$tmp/rocks" --write_buffer_size=1000000 --compression_type=none --threads=2
else
	echo 'SKIP: RocksDB: rocksdb-tools is not installed'
fi

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
if [ -n "$bin" ] && command -v pgbench >/dev/null; then
	as=(setpriv --reuid=postgres --regid=postgres --clear-groups env HOME="$tmp" PATH="$PATH")
	install -d -o postgres pg
	cat >postgres.sh <<'END'
"$bin/pg_ctl" -D pg/data -o "-k $PWD/pg -c listen_addresses=" -w -l pg/log start || exit
[ -z "$1" ] || pgbench -h "$PWD/pg" -i -s 2 -q postgres
[ -n "$1" ] || pgbench -h "$PWD/pg" -c 4 -j 2 -t 60 postgres
psql -h "$PWD/pg" -c checkpoint postgres
"$bin/pg_ctl" -D pg/data -w stop -m fast
END
	export bin
	"${as[@]}" "$bin/initdb" -D pg/data -A trust -N >initdb.log 2>&1 && "${as[@]}" sh postgres.sh init >init.log 2>&1
	# what was open before is opened; processes rewrite blocks of the WAL in turn; sync_file_range is a sync that fio's logs do not have
	check 'PostgreSQL' loop postgres opens,rewrites,sync_gap,write_run,write_sequential,read_run,read_sequential "${as[@]}" bin="$bin" sh postgres.sh
else
	echo 'SKIP: PostgreSQL: it is not installed'
fi
