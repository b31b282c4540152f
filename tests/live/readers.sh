#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Other programs read what is recorded: the examples of doc/LOADING.md (the fenced
# blocks below the marks "ci:pandas" and so on) load a whole directory, and each
# cell of each row is what Python's csv module finds, with its type.
#   READERS_DUCKDB  a directory to keep DuckDB in between runs, where NODE_PATH has none
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"
# shellcheck source=lib-readers.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-readers.sh"

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
		example look | sed "s/^python3/${python//\//\\\/}/" >example.sh
		bash -e example.sh 2>said | awk '/^[A-Z_]+ +[0-9]+$/ { print $1, $2 }' | sort >looked
		cells $how fs operation,return_value | awk -F'\t' '
			$1 ~ /^(READ|WRITE|SENDFILE|SPLICE|COPY_FILE_RANGE)$/ && $2 > 0 { n[$1] += $2 }
			END { for (op in n) print op, n[op] }' | sort >wanted
		check "$how: the look for one line: $(tr '\n' ' ' <looked)" [ -s looked -a "$(cat looked)" = "$(cat wanted)" ] || tail -3 said
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
		duckdb=no npm=${READERS_DUCKDB:-$tmp/npm}
		if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
			why='npm and node are not installed'
		elif NODE_PATH=${NODE_PATH:-} node -e 'require("@duckdb/node-api")' 2>/dev/null; then
			duckdb=yes
		elif NODE_PATH=$npm/node_modules node -e 'require("@duckdb/node-api")' 2>/dev/null ||
			timeout 180 npm install --prefix "$npm" --no-audit --no-fund --no-save @duckdb/node-api >npm.log 2>&1; then
			duckdb=yes
			export NODE_PATH=$npm/node_modules:${NODE_PATH:-}
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
