#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The programs of all streams, compiled once for each tier: what the other scripts of `make check` find in
# the directory IOTRACER_CACHE, whichever streams they record. Both tiers at once, since a start is one process.
# alone: the others wait for it
. "$(dirname "$0")/lib.sh"

[ -n "${IOTRACER_CACHE:-}" ] || skip_all 'IOTRACER_CACHE names no directory'
[ -z "${LIVE_IMAGE:-}" ] || skip_all 'there is an image'

# start NAME OPTION...: of all streams, also of those that only are recorded when they are named
start()
{
	record "$1" -e +sched,+layers --extra-ops "${@:2}" -- true
}

cached()
{
	grep -q "^iotracer: recording into $1 (cached programs)" "$1.log" || { cat "$1.log"; return 1; }
}

begin=$SECONDS
start own &
if [ "$LIVE_TIER" != c ]; then
	start c --no-kprobes --layout none || fail 'tier c: recorded'
	check 'tier c: the next start finds its programs' eval 'start again-c --no-kprobes --layout none && cached again-c'
fi
wait $! || fail "tier $LIVE_TIER: recorded"
check "tier $LIVE_TIER: the next start finds its programs" eval 'start again && cached again'
check "tier $LIVE_TIER: and one of fewer streams" eval 'record fewer -e fs,exec -- true && cached fewer'
echo "$((SECONDS - begin)) s"
