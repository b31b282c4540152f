#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The programs of all streams, compiled once for each tier: what the other scripts of `make check` find in
# the directory IOTRACER_CACHE, whichever of these streams they record. Both tiers at once.
# alone: the others wait for it
. "$(dirname "$0")/lib.sh"

[ -n "${IOTRACER_CACHE:-}" ] || skip_all 'IOTRACER_CACHE names no directory'
[ -z "${LIVE_IMAGE:-}" ] || skip_all 'there is an image'

cached()
{
	grep -q "^iotracer: recording into $1 (cached programs)" "$1.log" || { cat "$1.log"; return 1; }
}

# what was recorded with another build, or in an earlier run
[ -z "${LIVE_CORPUS:-}" ] || rm -rf "$LIVE_CORPUS"
begin=$SECONDS
record own -- true &
if [ "$LIVE_TIER" != c ]; then
	record c --no-kprobes --layout none -- true || fail 'tier c: recorded'
	check 'tier c: the next start finds its programs' eval 'record again-c --no-kprobes --layout none -- true && cached again-c'
fi
wait $! || fail "tier $LIVE_TIER: recorded"
check "tier $LIVE_TIER: the next start finds its programs" eval 'record again -- true && cached again'
check "tier $LIVE_TIER: and one of fewer streams" eval 'record fewer -e fs,exec -- true && cached fewer'
echo "$((SECONDS - begin)) s"
