#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ClickHouse's engine inside of node (chdb): half a GB, so it is fetched only where
# READERS_CLICKHOUSE names a directory to keep it in. Sourced, never run.

# has_clickhouse: NODE_PATH leads to it, or $why says what there is not
has_clickhouse()
{
	local dir=${READERS_CLICKHOUSE:-}

	[ -z "$dir" ] || export NODE_PATH=$dir/node_modules${NODE_PATH:+:$NODE_PATH}
	if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
		why='npm and node are not installed'
	elif node -e 'require("chdb")' 2>/dev/null; then
		return 0
	elif [ -z "$dir" ]; then
		why='half a GB is fetched only when READERS_CLICKHOUSE names a directory for it'
	elif timeout 300 npm install --prefix "$dir" --no-audit --no-fund --no-save chdb >npm.log 2>&1; then
		return 0
	else
		# shellcheck disable=SC2034 # for who asks
		why="npm cannot install chdb: $(grep -m 1 'code\|error' npm.log)"
	fi
	return 1
}
