#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ClickHouse reads what several machines recorded, as doc/LOADING.md says: each cell of each row is what Python's csv
# module finds.
#   READERS_CLICKHOUSE  a directory: ClickHouse is fetched into it, where NODE_PATH has none (half a GB)
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-clickhouse.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-clickhouse.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"
# shellcheck source=lib-readers.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-readers.sh"

has_clickhouse || skip_all "ClickHouse: $why"

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

corpus everything && corpus packed || exit
mkdir fleet bin
mv everything fleet/plain
mv packed fleet/gz
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
