#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Other programs read what is recorded: the examples of doc/LOADING.md (the fenced
# blocks below the marks "ci:pandas" and so on) load a whole directory, and each
# cell of each row is what Python's csv module finds, with its type.
#   READERS_CLICKHOUSE  a directory: ClickHouse is fetched into it, where NODE_PATH has none (half a GB)
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"
# shellcheck source=lib-clickhouse.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-clickhouse.sh"

readers=$tests_dir/readers
root=$(cd "$tests_dir/.." && pwd -P)
command -v jq >/dev/null || skip_all 'jq is missing'
command -v python3 >/dev/null || skip_all 'python3 is missing'
[ -r "$root/doc/LOADING.md" ] || skip_all 'doc/LOADING.md is not here'

# example NAME: the block below its mark, with this trace in place of DIR and this program
example()
{
	awk -v mark="<!-- ci:$1 -->" '$0 == mark { found = 1; next } found && /^```/ { if (inside) exit; inside = 1; next }
		inside' "$root/doc/LOADING.md" | sed "s#DIR#$dir#g"
}

# the rows of STREAM by READER are those of the reference, however they are sorted
# agree READER STREAM FILE
agree()
{
	LC_ALL=C sort "$3" | cmp -s - "$tmp/reference.$2" && return
	diff <(LC_ALL=C sort "$3") "$tmp/reference.$2" | head -4 | cut -c1-600
	return 1
}

corpus everything && corpus packed || exit
mv everything plain
mv packed gz
for how in plain gz; do
	dir=$tmp/$how
	check "$how: whole" "$IOTRACER" verify -q $how
	mapfile -t names < <(jq -r '.resources[].name | rtrimstr("_plain")' $how/datapackage.json | sort -u)
	check "$how: ${#names[@]} streams with rows" [ ${#names[@]} -ge 3 ]
	for name in "${names[@]}"; do
		PYTHONPATH=$readers python3 "$readers/reference.py" $how "$name" | LC_ALL=C sort >"reference.$name"
		rows=$(jq --arg s "$name" '.streams[] | select(.name == $s) | .rows' $how/manifest.json)
		check "$how: $name has the $rows rows of the manifest" [ "$(wc -l <"reference.$name")" = "$rows" ]
	done

	python=
	for try in python3 /usr/bin/python3; do
		[ -n "$python" ] || ! "$try" -c 'import pandas' 2>/dev/null || python=$try
	done
	example pandas >example.py
	if [ -z "$python" ]; then
		skip "$how: pandas is not installed"
	else
		rm -rf tables && mkdir tables
		PYTHONPATH=$readers $python "$readers/read_pandas.py" $how tables example.py 2>said
		check "$how: pandas loads the directory with its types" [ $? = 0 ] || tail -3 said
		for name in "${names[@]}"; do
			check "$how: each cell of $name in pandas" agree pandas "$name" "tables/$name"
		done
	fi

	rm -f trace.db
	example sqlite >example.sh
	if ! command -v sqlite3 >/dev/null; then
		skip "$how: sqlite3 is not installed"
	else
		PATH=$(dirname "$IOTRACER"):$PATH bash -e example.sh >said 2>&1
		check "$how: SQLite loads the directory" [ $? = 0 -a ! -s said ] || tail -3 said
		for name in "${names[@]}"; do
			PYTHONPATH=$readers python3 "$readers/read_sqlite.py" $how "$name" trace.db >table 2>said
			check "$how: SQLite has the types of $name" [ $? = 0 ] || tail -3 said
			# 2^64 - 1 is a float there
			sed -i 's/"18446744073709551616"/"18446744073709551615"/g' table
			check "$how: each cell of $name in SQLite" agree sqlite "$name" table
		done
	fi

	if [ -z "${duckdb:-}" ]; then
		duckdb=no
		if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
			why='npm and node are not installed'
		elif NODE_PATH=${NODE_PATH:-} node -e 'require("@duckdb/node-api")' 2>/dev/null; then
			duckdb=yes
		elif timeout 180 npm install --prefix "$tmp/npm" --no-audit --no-fund --no-save @duckdb/node-api >npm.log 2>&1; then
			duckdb=yes
			export NODE_PATH=$tmp/npm/node_modules:${NODE_PATH:-}
		else
			why="npm cannot install @duckdb/node-api: $(grep -m 1 'code\|error' npm.log)"
		fi
	fi
	if [ "$duckdb" = no ]; then
		skip "$how: DuckDB: $why"
	else
		example duckdb | sed 's/ | duckdb.*//' >example.sh
		rm -rf tables && mkdir tables
		PATH=$(dirname "$IOTRACER"):$PATH bash -e example.sh >load.sql &&
			node "$readers/read_duckdb.js" $how tables <load.sql 2>said
		check "$how: DuckDB loads the directory with its types" [ $? = 0 ] || head -3 said
		for name in "${names[@]}"; do
			check "$how: each cell of $name in DuckDB" agree duckdb "$name" "tables/$name"
		done
	fi
done

# ---- both as a fleet ----

# each row of both directories
fleet_agrees()
{
	LC_ALL=C sort "fleet_$1" >"reference.$1"
	agree clickhouse "$1" "tables/$1"
}

# lines of the first example: a directory's segment, an operation, how many; of the second without the first
same_rows()
{
	local rows

	rows=$(jq -s 'map(.streams[] | select(.name == "fs") | .rows) | add' fleet/*/manifest.json)
	[ "$(grep '^\["[^"]*/fs' said | jq -s 'map(.[2]) | add')" = "$rows" ] &&
		[ "$(grep -v '^\["[^"]*/fs' said | jq -s 'map(.[1]) | add')" = "$rows" ] &&
		[ "$(jq -r '.[0] | select(contains("/")) | split("/")[-3]' said | sort -u | xargs)" = 'gz plain' ]
}

if ! has_clickhouse; then
	skip "ClickHouse: $why"
else
	mkdir fleet bin
	mv plain gz fleet
	# and what has times that may be empty
	mkdir odd
	touch 'odd/ blanks ' $'odd/two\nlines' $'odd/\xff' 'odd/a,"b"' 'odd/\N'
	"$IOTRACER" snapshot -q -o fleet/still fs process --snapshot-root "$tmp/odd"
	printf '#!/bin/sh\nexec node "%s" "$@"\n' "$readers/read_clickhouse.js" >bin/clickhouse-local
	chmod +x bin/clickhouse-local
	example clickhouse >example.sh
	PATH=$tmp/bin:$(dirname "$IOTRACER"):$PATH bash -e example.sh >said 2>&1
	check 'a fleet: the lines for ClickHouse work' [ $? = 0 ] || head -3 said
	check 'a fleet: each row is counted by both' same_rows
	rm -rf tables && mkdir tables
	"$IOTRACER" schema --sql=clickhouse | bin/clickhouse-local fleet tables 2>said
	check 'a fleet: ClickHouse loads all streams with their types' [ $? = 0 ] || head -3 said
	mapfile -t names < <(jq -r '.resources[].name | rtrimstr("_plain")' fleet/*/datapackage.json | sort -u)
	for name in "${names[@]}"; do
		: >"fleet_$name"
		for dir in fleet/*; do
			PYTHONPATH=$readers python3 "$readers/reference.py" "$dir" "$name" >>"fleet_$name"
		done
		check "a fleet: each cell of $name in ClickHouse" fleet_agrees "$name"
	done
fi
