#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer fio` of servers and databases: what they did to every file, fio does again. Each figure of each file is as
# before; what cannot be is named where it is passed over.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source=lib-fio.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-fio.sh"

# loop NAME MEASURE-TO-PASS-OVER,... COMMAND...
loop()
{
	local name=$1 passed

	IFS=, read -ra passed <<<"$2"
	record "$name" -e fs,exec -m 8192 -- "${@:3}" >"$name.out" && "$IOTRACER" verify -q "$name" && repeated "$name" &&
		as_before "$name" "$name" "$name.again" "${passed[@]}"
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
	check 'RocksDB' loop rocksdb opens,sequential_read_bytes,read_runs db_bench --benchmarks=fillrandom,overwrite,waitforcompaction,readrandom --num=20000 \
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
	# what was open before is opened
	check 'PostgreSQL' loop postgres opens "${as[@]}" bin="$bin" sh postgres.sh
else
	echo 'SKIP: PostgreSQL: it is not installed'
fi
