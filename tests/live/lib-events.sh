# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the kernel's own ring has of an event while the tracer records, in an instance of this test. Sourced after
# lib.sh, which removes it; never run.

# watch EVENT [FILTER]: GROUP/NAME, from now on; false where tracefs has no instances
watch()
{
	local traces=/sys/kernel/tracing

	[ -d $traces/instances ] || traces=/sys/kernel/debug/tracing
	unwatch
	mkdir "$traces/instances/live-$$" 2>/dev/null || return
	watcher=$traces/instances/live-$$
	{ [ -z "${2:-}" ] || echo "$2" >"$watcher/events/$1/filter"; } && echo 1 >"$watcher/events/$1/enable"
}

# watched: nothing more comes, and these are the lines
watched()
{
	[ -n "$watcher" ] || return 0
	echo 0 >"$watcher/tracing_on"
	grep -v '^#' "$watcher/trace"
}
