#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of files as a query for a distributed engine: what `iotracer schema
# --sql=clickhouse --query=files` computes from the segments of three directories is
# what `iotracer files` says of them, cell for cell.
#   READERS_CLICKHOUSE  a directory: ClickHouse is fetched into it, where NODE_PATH has none (half a GB)
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-clickhouse.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-clickhouse.sh"

has_clickhouse || skip_all "ClickHouse: $why"
command -v jq >/dev/null || skip_all 'jq is not installed'
mkdir fleet

# host NAME OPTION... -- COMMAND: a directory of a machine of that name
host()
{
	local name=$1

	shift
	mkdir "$tmp/on-$name" && cd "$tmp/on-$name" || exit 1
	record "$tmp/fleet/$name" --extra-ops -m 4096 -e fs "$@" || return
	cd "$tmp" || exit 1
	jq --arg name "$name" '.host.name = $name | del(.host.machine_id)' "fleet/$name/manifest.json" >manifest &&
		cp manifest "fleet/$name/manifest.json"
}

# as the program of that name, which prints a table
engine()
{
	node -e '
		const { Session } = require("chdb"), session = new Session();
		try {
			process.stdout.write(session.query(require("fs").readFileSync(0, "utf8"), "CSVWithNames"));
		} catch (error) {
			console.error(error.message);
			process.exitCode = 1;
		}
		session.cleanup();'
}

# appended, truncated, made anew, written at places, copied inside the kernel, refused
cat >shapes <<'END'
cp -r /usr/share/perl/*/unicore/To copied
cat copied/*.pl >all
head -c 5000 all >first
dd if=all of=synced bs=512 conv=fsync status=none
dd if=/dev/zero of=appended bs=4k count=64 oflag=append conv=notrunc status=none
truncate -s 100 appended
rm synced
dd if=first of=synced bs=100 seek=7 conv=notrunc,fdatasync status=none
cat synced nothing >>appended
exec 3<>first; cat <&3 >/dev/null; echo more >&3; exec 3>&-
tar cf - copied | tar xf - -C /tmp/. --to-stdout | wc -c
mv appended moved; ln moved other; ln -s other pointing; cat pointing >/dev/null
mkdir dir; ls -l dir copied; cat dir; rmdir dir
END
host shapes -- sh -e +e "$tmp/shapes" >/dev/null 2>&1
check 'a machine with files of many shapes' [ -s fleet/shapes/manifest.json ]
if command -v sqlite3 >/dev/null; then
	seq 2000 | sed 's/.*/insert into t values(&, hex(randomblob(200)));/' >rows.sql
	host base --rotate-size 1M --compress gz -- sqlite3 f.db 'create table t(a, b)' 'begin' ".read $tmp/rows.sql" 'commit' 'vacuum' 'select count(*) from t' >/dev/null
	check 'one with a data base, in compressed segments' [ -s fleet/base/manifest.json ]
fi
host python -- python3 "$tests_dir/live/traced/descriptors.py"
check 'one with descriptors that are shared and files that come again' [ -s fleet/python/manifest.json ]

"$IOTRACER" files --csv fleet/*/ >ours 2>said
check 'files of the fleet' [ $? = 0 ] || cat said
"$IOTRACER" schema --sql=clickhouse --query=files >query
check 'the query' [ $? = 0 ]
sed "s#DIR#$tmp/fleet/*#" query | engine >theirs 2>said
check 'the engine takes it' [ $? = 0 ] || head -c 2000 said
python3 "$tests_dir/readers/files_agree.py" ours theirs
check 'each cell of each file is the same' [ $? = 0 ]
check 'more than a thousand files' [ "$(wc -l <ours)" -gt 1000 ]
check 'no dialect but one has it' [ "$("$IOTRACER" schema --sql=sqlite --query=files 2>&1 >/dev/null)" = \
	"iotracer: --query: only --sql=clickhouse has one, not 'sqlite'" ]
