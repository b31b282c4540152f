# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of amplification of storage systems, beside what these count of themselves. $system: its name
# in systems.conf. Sourced, never run.

# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for tool in jq python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done

# sum COMMAND DIR COLUMN [OPTION]...: of all rows of its CSV
sum()
{
	local command=$1 dir=$2 column=$3

	shift 3
	# shellcheck disable=SC2154 # system is set by whoever asks
	"$IOTRACER" "$command" "$dir" --csv -q "$@" 2>/dev/null | column --sum "$column" system="$system"
}

# between NAME LOW VALUE HIGH
between()
{
	check "$1: $3, from $2 to $4" [ "$3" -ge "$2" -a "$3" -le "$4" ]
}

# A system writes now and then by itself (PostgreSQL to its log every 15 s): of interest is what it did
# between two moments at which its counters were the same before and after a file was made. For a
# script in sh, which has $dir and `status`, its counters.
#   moment NAME: makes $dir/NAME, and NAME.stats
# shellcheck disable=SC2317 # called by these scripts
moment()
{
	for _ in $(seq 50); do
		sleep 0.3
		status >"$dir/$1.stats"
		status >"$dir/$1"
		status | cmp -s - "$dir/$1.stats" && return
		rm "$dir/$1"
	done
}
declare -f moment >moment.sh

# moments TRACE FOLDER: when its files from and to were made last
moments()
{
	python3 "$tests_dir/readers/systems_checks.py" times_of_marks "$1" "/$2"
}

# pages TRACE PID...: the bytes of files' data that the device got for these processes, and those of the pages
# that they wrote to, once for each call: the former are no more, since a page goes there once for a write at most
pages()
{
	python3 "$tests_dir/readers/systems_checks.py" written_and_device "$@"
}

trace()
{
	record "$@" >out
	check "$system: recorded without loss" no_loss "$1" fs
}
